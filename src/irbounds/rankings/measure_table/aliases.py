"""Names that other tools give to measures, and what they are called here."""

import re

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

# Names of trec_eval, as patterns, and what they are called here.
TREC_NAMES = [
    (r"map", "AP"),
    (r"map_cut[_.](\d+)", r"AP@\1"),
    (r"P[_.](\d+)", r"P@\1"),
    (r"recall[_.](\d+)", r"R@\1"),
    (r"recip_rank", "RR"),
    (r"success[_.](\d+)", r"Success@\1"),
    (r"bpref", "Bpref"),
    (r"ndcg", "nDCG"),
    (r"ndcg_cut[_.](\d+)", r"nDCG@\1"),
    (r"iprec_at_recall[_.](\d?\.?\d+)", r"IPrec@\1"),
    (r"set_P", "SetP"),
    (r"set_recall", "SetR"),
    (r"set_F", "SetF"),
    (r"set_map", "SetAP"),
    (r"num_ret", "NumRet"),
    (r"num_rel", "NumRel"),
    (r"num_rel_ret", "NumRelRet"),
    (r"num_nonrel_judged_ret", "NumNonrelRet"),
    (r"num_q", "NumQ"),
    (r"Rprec", "Rprec"),
    (r"Rprec_mult[_.](\d?\.?\d+)", r"Rprec(mult=\1)"),
    (r"relative_P[_.](\d+)", r"RelP@\1"),
    (r"set_relative_P", "SetP(relative=True)"),
    (r"unj[_.](\d+)", r"Hole@\1"),
    (r"11pt_avg", "IPrec11"),
    (r"gm_map", "GMAP"),
    (r"gm_bpref", "GMBpref"),
    (r"utility", "Utility"),
    (r"dcg", "DCG"),
    (r"ideal_dcg", "IDCG"),
    (r"ndcg_rel", "nDCGrel"),
    (r"Rndcg", "RnDCG"),
    (r"yaap", "YAAP"),
    (r"rbp", "RBPGraded"),
    (r"rbp_resid", "RBPResid"),
]

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

# Names of ranx, likewise.  Its rbp has the patience in its name; -l and a grade, on either side of
# the cut-off, is the lowest relevant grade.
RANX_NAMES = [
    (r"hits", "NumRelRet"),
    (r"rbp(\.\d+)", r"RBP(p=0\1)"),
    (r"rbp(\.\d+)@(\d+)", r"RBP(p=0\1)@\2"),
    (r"hit_rate", "Success"),
    (r"map@(\d+)", r"AP@\1"),
    (r"mrr", "RR"),
    (r"mrr@(\d+)", r"RR@\1"),
    (r"precision", "SetP"),
    (r"precision@(\d+)", r"P@\1"),
    (r"recall", "SetR"),
    (r"recall@(\d+)", r"R@\1"),
    (r"f1", "SetF"),
    (r"f1@(\d+)", r"F@\1"),
    (r"hit_rate@(\d+)", r"Success@\1"),
    (r"r-precision", "Rprec"),
    (r"dcg", "DCG"),
    (r"dcg@(\d+)", r"DCG@\1"),
    (r"ndcg@(\d+)", r"nDCG@\1"),
    (r"dcg_burges", "DCG(dcg=exp-log2)"),
    (r"dcg_burges@(\d+)", r"DCG(dcg=exp-log2)@\1"),
    (r"ndcg_burges", "nDCG(dcg=exp-log2)"),
    (r"ndcg_burges@(\d+)", r"nDCG(dcg=exp-log2)@\1"),
]


def _plain(pattern: str) -> str:
    """A pattern as a name that it reads."""
    return re.sub(r"\(.*?\)\)?", "10", pattern).replace("[_.]", "_").replace("%", "%")


def _start(pattern: str) -> str:
    """Letters with which all names of a pattern begin."""
    return pattern[: next((i for i, x in enumerate(pattern) if x in "[(."), len(pattern))]


# A pattern is compiled for names that begin as it does: compiling all takes as long as a small
# evaluation.
PATTERNS = [(_start(p), p, template) for p, template in (*TREC_NAMES, *RANX_NAMES, *REVIEW_NAMES)]


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
            inside = (
                f"{name[:-1]},rel={match[2]})" if name.endswith(")") else f"{name}(rel={match[2]})"
            )
            return inside + at + cutoff
    for start, pattern, template in PATTERNS:
        match = re.fullmatch(pattern, text) if text.startswith(start) else None
        if match is not None:
            return match.expand(template)
    return text
