"""What is wrong with a template, by offset in its text; the face turns it into an InputError with its place."""

from __future__ import annotations


class TemplateFault(Exception):
    """A template cannot be parsed or executed: the message is Go's, the hint ours."""

    def __init__(self, message: str, offset: int = -1, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.offset = offset
        self.hint = hint


class FunctionFault(Exception):
    """A function cannot give a value for its arguments; whoever called it adds its name and its place."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
