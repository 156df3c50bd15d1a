"""The command line: one module per command group, which reads arguments and hands them on.

`main` finds a command without importing the others; `options` is what commands that run cases share; `rehearse`
is one run from the project file to the exit code.
"""
