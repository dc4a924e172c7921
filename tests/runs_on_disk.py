"""A small run and its qrels, as text."""

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq1 0 d3 2\nq2 0 d1 0\nq2 0 d9 1\n"
RUN = "q1 Q0 d1 1 0.7 t\nq1 Q0 d2 2 0.7 t\nq1 Q0 d3 3 0.4 t\nq2 Q0 d1 1 2 t\nq2 Q0 d9 2 1 t\n"
