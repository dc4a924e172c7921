"""Names that other tools give to measures, and what they are called here."""

import re

from irbounds.rankings.measure_table.trec_names import TREC_ROWS, WITH_TWO_PLACES

MOST_LEVEL = 1000  # grades of ranx's names
ALIASES = {
    "MAP": "AP",
    "NDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "MRR": "RR",
    "RPrec": "Rprec",
    "BPref": "Bpref",
    "R_cap": "RelP",
    "HitRate": "Success",
    "Hit": "Success",
    "top_k_accuracy": "Success",
    "ContextPrecision": "APRet",
    "context_precision": "APRet",
    "MAP_IA": "AP_IA",
    "α_DCG": "alpha_DCG",
    "α_nDCG": "alpha_nDCG",
}

# Names of tar_eval and asreview-insights, where their values are these.
REVIEW_NAMES = [
    (r"wss_(\d\d)", r"WSS(wanted=nearest-even)@0.\1"),
    (r"wss_100", r"WSS(wanted=nearest-even)@1"),
    (r"last_rel", "LastRel"),
    (r"norm_area", "NormArea"),
    (r"loss_r", "LossR"),
    (r"loss_e", "LossE"),
    (r"loss_er", "LossER"),
    (r"atd", "ATD"),
    (r"loss", "NormLoss"),
    (r"R@(\d+(?:\.\d+)?)%", r"NCG@\1"),
]

# Names of ranx, each for all documents and for the first k.  Its rbp has the patience in its name;
# -l and a grade, on either side of the cut-off, is the lowest relevant grade.
RANX_NAMES = {
    "hits": ("NumRelRet", ""),
    r"rbp(\.\d+)": (r"RBP(p=0\1)", r"RBP(p=0\1)"),
    "hit_rate": ("Success", "Success"),
    "map": ("", "AP"),
    "mrr": ("RR", "RR"),
    "precision": ("SetP", "P"),
    "recall": ("SetR", "R"),
    "f1": ("SetF", "F"),
    "r-precision": ("Rprec", ""),
    "dcg": ("DCG", "DCG"),
    "ndcg": ("", "nDCG"),
    "dcg_burges": ("DCG(dcg=exp-log2)", "DCG(dcg=exp-log2)"),
    "ndcg_burges": ("nDCG(dcg=exp-log2)", "nDCG(dcg=exp-log2)"),
}


def _patterns() -> list[tuple[str, str]]:
    """Names elsewhere as patterns, and what they are called here."""
    found = []
    for name, row in TREC_ROWS.items():
        at = r"[_.](\d?\.?\d+)" if name in WITH_TWO_PLACES else r"[_.](\d+)" if row.at else ""
        if row.form:
            found.append((name + at, row.form.replace("{at}", r"\1")))
    for name, (of_all, of_first) in RANX_NAMES.items():
        found += [(name, of_all)] if of_all else []
        found += [(rf"{name}@(?P<k>\d+)", rf"{of_first}@\g<k>")] if of_first else []
    return found + REVIEW_NAMES


def _plain(pattern: str) -> str:
    """A pattern as a name that it reads."""
    return re.sub(r"\(.*?\)\)?", "10", pattern).replace("[_.]", "_").replace("%", "%")


def _start(pattern: str) -> str:
    """Letters with which all names of a pattern begin."""
    return pattern[: next((i for i, x in enumerate(pattern) if x in "[(."), len(pattern))]


# A pattern is compiled for names that begin as it does: compiling all takes as long as a small
# evaluation.
PATTERNS = [(_start(pattern), pattern, template) for pattern, template in _patterns()]


def names_elsewhere() -> list[str]:
    """One name for each that is read, for messages."""
    return [*ALIASES, *(_plain(pattern) for _, pattern, _ in PATTERNS)]


def from_elsewhere(text: str) -> str:
    """The name here of a measure as trec_eval or ranx writes it; anything else stays as it is."""
    match = re.fullmatch(r"(.+)-l(\d+)(@\d+)?", text) if "-l" in text else None
    if match is not None:  # ranx: map@10-l2 or map-l2@10
        there = match[1] + (match[3] or "")
        here = from_elsewhere(there)
        if here != there:
            name, at, cutoff = here.partition("@")
            more = f"rel={match[2]}"
            if name.startswith(("nDCG", "DCG")):  # there grades below it are no gains
                more = ",".join(f"{grade}:0" for grade in range(1, min(int(match[2]), MOST_LEVEL)))
                more = f"gains={{{more}}}" if more else ""
            opened = f"{name[:-1]}," if name.endswith(")") else f"{name}("
            return (f"{opened}{more})" if more else name) + at + cutoff
    for start, pattern, template in PATTERNS:
        match = re.fullmatch(pattern, text) if text.startswith(start) else None
        if match is not None:
            return match.expand(template)
    return text
