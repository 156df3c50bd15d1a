"""What agents may do: a governor with permissions and rate limits, and a gateway through which people approve the rest.

In: an agent, an action with its arguments, and how far the agent is trusted. Out: a decision, always recorded, that is
a refusal unless it is a clear approval.
"""
