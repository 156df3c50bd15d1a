"""What is kept beyond a run: tables, their migrations, and writers that lose nothing that they acknowledged.

In: rows of plain data. Out: the same rows, from SQLite (by default, one file, in WAL mode) or PostgreSQL (for teams),
also after the process that wrote them was killed. The rooms above say what the rows mean.
"""
