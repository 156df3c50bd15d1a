#!/bin/sh
# Prints the path of a Python that is new enough to set the project up with, or says that there is none.
#
# A name on the PATH is not enough: version switchers leave commands behind that only print an error, so each
# candidate is run. Inside an active virtual environment the interpreter below it is meant, because ours may be
# made anew. PYTHON=/path/to/python chooses one by hand.

question='import sys; print(sys.version_info >= (3, 11) and getattr(sys, "_base_executable", sys.executable) or "")'

for candidate in ${PYTHON:-python3.13 python3.12 python3.11 python3}; do
    if answer=$("$candidate" -c "$question" 2>/dev/null) && [ -n "$answer" ]; then
        echo "$answer"
        exit 0
    fi
done

echo "understudy needs Python 3.11 or newer to set itself up; none of these is one: ${PYTHON:-python3.13 python3.12 python3.11 python3}" >&2
echo "Install one (on Debian 12 and newer: apt-get install python3 python3-venv), or name it: make test PYTHON=/path/to/python3" >&2
exit 1
