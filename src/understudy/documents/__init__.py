"""Files from outside (YAML, JSON, TOML), read bounded, with the position of everything in them.

In: a path or a text of the user's. Out: a `Document`, which is plain JSON data and the line and column of
every key and value in it; `validate` turns it into a pydantic model. Whatever is wrong comes out as one
InputError with every problem, each with its place.
"""
