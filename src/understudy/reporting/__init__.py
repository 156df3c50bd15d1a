"""What a run says: events and reports in; a terminal, JSON, JUnit XML, an HTML page or annotations out.

`handlers.py` is the seam: everything that listens to a run has `handle(event)`, and every file format is one
writer in its table. The writers (`json_report`, `junit`, `html`, `github`) are pure: a report and an open
text file in, text out, in passes over the report's outcomes so that memory stays flat. `terminal.py` follows
a run live. `grouping.py` and `fragments.py` bring outcomes into the order of a report, `escaping.py` makes
text from outside safe to show, `merge.py` joins the reports of shards.
"""
