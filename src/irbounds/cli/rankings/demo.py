"""`irbounds demo`: one real ranking with tied scores, seen by every tie rule."""

from __future__ import annotations

from importlib.resources import as_file, files

import irbounds
from irbounds.cli.terminal import screen
from irbounds.cli.terminal.help import declare
from irbounds.cli.terminal.render import Report, short
from irbounds.foundation.rounding import as_high_end, as_low_end

MEASURES = "AP nDCG@10 P@10 RR Success@1 Rprec Bpref R@100"
COLUMNS = ["measure", "expected", "worst", "best", "95% interval", "trec_eval"]

EXPLANATION = """\
expected      exact mean over all orders of tied images
worst, best   the range over those orders
95% interval  confidence interval of the mean, with the queries as a random sample
trec_eval     breaks ties by document id, which has nothing to do with relevance"""


@declare("demo", {"Options": ()})
def command() -> None:
    """Show how tied scores affect measures, on a small real example.

    Images of digits are ranked by the number of equal pixels, so that many scores are equal.
    """
    data = files("irbounds") / "demo"
    with as_file(data / "digits.qrels.xz") as qrels, as_file(data / "equal-pixels.run.xz") as run:
        expected = irbounds.evaluate(qrels, run, MEASURES, bounds=True)
        by_name = irbounds.evaluate(qrels, run, MEASURES, ties="doc_id")
    rows = []
    for name, value in expected.mean.items():
        low, high = expected.mean_bounds[name]
        interval = expected.interval(name)
        over_queries = f"{as_low_end(float(interval.low))} to {as_high_end(float(interval.high))}"
        rows.append(
            [name, *map(short, (value, low, high)), over_queries, short(by_name.mean[name])]
        )
    title = (
        f"{len(expected.query_ids)} digit images as queries, ranked by equal dark pixels: "
        "many scores tie"
    )
    table = Report(COLUMNS, rows).text(None)
    screen.write(f"{title}\n{table.rstrip()}\n\n{EXPLANATION}\n")
