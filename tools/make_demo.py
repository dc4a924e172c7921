"""Make the small real example that the package ships: rankings of digit images, in the TREC
formats.

Run it as

    python tools/make_demo.py

It needs scikit-learn, which brings the data (1797 images of 8×8 pixels with 17 grey levels), and
writes src/irbounds/demo/: digits.qrels.xz, equal-pixels.run.xz and cosine.run.xz; the same bytes
each time.

A query is an image, `q0007` being image 7; two images of each digit are drawn with a fixed seed.  A
document is any other image, `digit-0042` being image 42; it is relevant if it shows the same digit.
There are two runs:

- equal-pixels: the score is how many inked pixels have exactly the same value, as a
  coordination-level match counts shared terms: an integer, so that most documents tie;
- cosine: the score is the cosine similarity, rounded to 4 decimals, so that few documents tie.

A run keeps, for each query, the documents that score at least as high as the 200th: no tie is cut.
All documents of the runs are judged.
"""

from __future__ import annotations

import lzma
import random
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

SEED = 0
QUERIES_PER_DIGIT = 2
DEPTH = 200
DEMO = Path(__file__).resolve().parents[1] / "src" / "irbounds" / "demo"
# Preset 9e with a smaller dictionary, which still holds a whole file: what readers must set aside,
# else 64 MiB.
XZ = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 2**20}]

Ranking = list[tuple[int, str]]  # (image, score as written), the best first


def choose_queries(digits: np.ndarray) -> list[int]:
    """A seeded choice of as many images of each digit, in ascending order."""
    # of its methods, random() alone is the same in every version of Python
    rng = random.Random(SEED)
    chosen = []
    for digit in range(10):
        shuffled = sorted(np.flatnonzero(digits == digit).tolist(), key=lambda _: rng.random())
        chosen += shuffled[:QUERIES_PER_DIGIT]
    return sorted(chosen)


def equal_pixels(images: np.ndarray, query: int) -> list[str]:
    """How many pixels of each image equal the query's, blank ones not counted."""
    return [str(count) for count in ((images == images[query]) & (images > 0)).sum(axis=1)]


def cosine(images: np.ndarray, query: int) -> list[str]:
    """The cosine of the angle between each image and the query; sums of integers, hence exact up to
    the root."""
    squares = (images * images).sum(axis=1)
    return [f"{value:.4f}" for value in images @ images[query] / np.sqrt(squares * squares[query])]


def rank(scores: list[str], query: int) -> Ranking:
    """The images but for the query, by score then number, down to the last that ties with the
    200th."""
    ranking = [(image, score) for image, score in enumerate(scores) if image != query]
    ranking.sort(key=lambda row: (-float(row[1]), row[0]))
    last = float(ranking[DEPTH - 1][1])
    return [row for row in ranking if float(row[1]) >= last]


def run_text(rankings: dict[int, Ranking], tag: str) -> str:
    """A TREC run."""
    return "".join(
        f"q{query:04d} Q0 digit-{image:04d} {place} {score} {tag}\n"
        for query, ranking in rankings.items()
        for place, (image, score) in enumerate(ranking, 1)
    )


def qrels_text(digits: np.ndarray, runs: list[dict[int, Ranking]]) -> str:
    """TREC judgments: of each query all relevant images, then the others that a run retrieved."""
    lines = []
    for query in runs[0]:
        relevant = set(np.flatnonzero(digits == digits[query]).tolist()) - {query}
        retrieved = {image for run in runs for image, _ in run[query]}
        lines += [f"q{query:04d} 0 digit-{image:04d} 1\n" for image in sorted(relevant)]
        lines += [f"q{query:04d} 0 digit-{image:04d} 0\n" for image in sorted(retrieved - relevant)]
    return "".join(lines)


def main() -> None:
    """Write the three files and print their sizes."""
    data = load_digits()
    images, digits = data.data.astype(np.int64), data.target
    queries = choose_queries(digits)
    runs = {
        tag: {query: rank(score(images, query), query) for query in queries}
        for tag, score in (("equal-pixels", equal_pixels), ("cosine", cosine))
    }
    texts = {"digits.qrels.xz": qrels_text(digits, list(runs.values()))}
    texts |= {f"{tag}.run.xz": run_text(rankings, tag) for tag, rankings in runs.items()}
    DEMO.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        size = (DEMO / name).write_bytes(lzma.compress(text.encode(), filters=XZ))
        print(f"{name}: {len(text.splitlines())} rows, {size} bytes")


if __name__ == "__main__":
    main()
