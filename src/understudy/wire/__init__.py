"""HTTP in Python: the transport that sends, the target that is sent to, and how an exchange is shown.

In: requests as plain data. Out: responses as plain data, bounded in size and time. Later rooms add routes and
matching, interception of clients, and serving.
"""
