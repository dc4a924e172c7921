"""The nearest measure to a name that is none, in the vocabulary of any tool."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import Any

from irbounds.foundation.errors import shown
from irbounds.rankings.measure_table.aliases import ALIASES, from_elsewhere, names_elsewhere
from irbounds.rankings.measure_table.trec_names import NICKNAMES, TREC_ROWS, trec_columns

# Names of scikit-learn, of benchmarks and of papers that no table of aliases holds, because they
# are functions, are spelt in many ways, or are not of one query: by their key (see `_key`).
OF_MEASURE = {
    "AP": (
        "averageprecision averageprecisionscore labelrankingaverageprecisionscore "
        "meanaverageprecision retrievalmap"
    ),
    "GMAP": "gmap",
    "DCG": "dcgscore discountedcumulativegain",
    "nDCG": "ndcgscore normalizeddiscountedcumulativegain normalizeddcg retrievalndcg",
    "nDCG(dcg=exp-log2)": "ndcgexp expndcg ndcgexponential ndcgburges",
    "DCG(dcg=exp-log2)": "dcgexp expdcg dcgexponential dcgburges",
    "RR": "retrievalmrr reciprocalrank meanreciprocalrank reciprank",
    "P": "retrievalprecision",
    "R": "retrievalrecall",
    "Success": "retrievalhitrate s topkaccuracy topkaccuracyscore acc hr hit hitratio",
    "R_cap": "caprecall recallcap rcap",
    "ERR": "expectedreciprocalrank",
    "RBP": "rankbiasedprecision",
    "Compat": "rankbiasedoverlap rbo",
    "Rprec": "rprecision rprec",
    "F": "f1 fbeta fmeasure",
    "SetF": "f1score fbetascore",
    "SetP": "precisionscore",
    "SetR": "recallscore contextrecall",
    "NormLoss": "labelrankingloss",
    "LastRel": "coverageerror lastrelevant",
    "StRecall": "subtopicrecall srecall strec",
    "AP_IA": "mapia",
    "alpha_nDCG": "andcg",
    "alpha_DCG": "adcg",
    "IPrec11": "iprec11 elevenpointaverage",
    "NumRelRet": "tp relsfound",
    "NumNonrelRet": "fp",
    "NumRel": "numrels",
    "NumRet": "numshown",
    "R@10%": "erf extrarelevantrecordsfound",
    "WSS": "worksavedoversampling",
    "TNR": "normalisedwss normalizedwss nwss truenegativerate specificity",
    "ATD": "averagetimetodiscovery",
    "APRet": (
        "llmcontextprecisionwithoutreference llmcontextprecisionwithreference "
        "nonllmcontextprecisionwithreference"
    ),
}
FOREIGN = {key: name for name, keys in OF_MEASURE.items() for key in keys.split()}
# Names of other tools whose like is none here, however similar it is written: by their key.
NO_LIKE = (
    "answercorrectness answerrelevancy answersimilarity contextentityrecall contextrelevance "
    "diversity fn meanrank novelty numiterations popularity qmeasure serendipity td tn umeasure"
)
WITHOUT_LIKE = frozenset(NO_LIKE.split())
# Names of other tools whose values follow from those of another measure here: by their key.
AUC = "NormLoss is 1 - AUC"
FOLLOWING = {
    "auc": AUC,
    "rbo": "RBO compares two rankings; Compat is the RBO of a ranking and the nearest ideal one",
    "auroc": AUC,
    "rocauc": AUC,
    "rocaucscore": AUC,
}
# Words that stand for different measures elsewhere, by their key: what to choose from, {at} for the
# cut-off.  "recall" is one where it has none.
_AP_OVER = (
    "APMin{at} divides by the lesser of k and the relevant documents (Kaggle, recommenders), "
    "AP{at} by all relevant ones (trec_eval, ranx)"
)
_HITS = (
    "Success{at} is 1 where a relevant document is among the first k (knowledge graphs); the "
    "relevant documents among them, as in ranx, are k times P{at}"
)
_COVERAGE = (
    "StRecall{at} is the share of a query's subtopics; the share of a catalogue that is ever "
    "recommended is no measure of queries, and none here"
)
RECALL = (
    "R@10 is that of the first 10, SetR that of all retrieved documents (ranx, scikit-learn); "
    "trec_eval's recall is R@5 R@10 R@15 R@20 R@30 R@100 R@200 R@500 R@1000"
)
ASKED = {
    **dict.fromkeys(("mapk", "mapatk", "apk", "apatk", "averageprecisionatk"), _AP_OVER),
    **dict.fromkeys(("meanaverageprecisionatk", "kmap"), _AP_OVER),
    **dict.fromkeys(("hits", "hitsat", "hitsatk", "hitsk"), _HITS),
    **dict.fromkeys(
        ("coverage", "catalogcoverage", "cataloguecoverage", "itemcoverage"), _COVERAGE
    ),
    **dict.fromkeys(("usercoverage", "predictioncoverage", "covk"), _COVERAGE),
}
# Names of sentence-transformers and MTEB begin with the similarity, and their accuracy is not that
# of ir_measures, whose name begins with a capital letter.
SIMILARITY = re.compile(r"(?:cosine|cos_sim|dot_score|dot|euclidean|manhattan)[_-]", re.I)
SMALL = {"accuracy": "Success"}
TAIL = re.compile(r"(.*?)[\s_.-]*(?:@|at|cut)?[\s_.-]*(k|\d+(?:\.\d+)?)?(%?)", re.DOTALL | re.I)


def _key(name: str) -> str:
    """A name without what tools spell differently."""
    return re.sub(r"[\W_]+", "", name.replace("α", "alpha")).casefold()


def in_other_case(text: object, known: Iterable[str], read: Callable[[str], Any]) -> Any:
    """The measure whose name differs from a text in case alone, if there is one, and the word does
    not mean another measure elsewhere; `read` gives a name's measure or None."""
    if not isinstance(text, str):
        return None
    head = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    rest = text.strip()[len(head) :]
    names = {each for each in (*known, *ALIASES) if each.casefold() == head.casefold()}
    if "(" not in rest:  # parameters are words in small letters
        names.add(head.lower())
    elsewhere = SMALL.get(head) or FOREIGN.get(_key(head))
    found = {read(name + rest) for name in names} - {None}
    measure = found.pop() if len(found) == 1 else None
    return measure if measure is None or elsewhere in (None, measure.name) else None


def reason_unread(name: str) -> str:
    """Why a measure of trec_eval is none here; empty for other names."""
    if name.startswith("prefs_"):
        return "judgments of preference are not read"
    has_judges = re.search(r"_avgjg(_\d+)?$", name)
    return "judgments of several judges are not read" if has_judges else ""


def no_measure(
    text: str, is_name: bool, known: Iterable[str], parses: Callable[[str], bool]
) -> str:
    """The line for what no measure is called.

    Parameters
    ----------
    text : str
    is_name : bool
        It is written as a measure is.
    known : iterable of str
        Names of measures here.
    parses : callable
        Whether a text is a measure.
    """
    name = text.strip()
    if reason := reason_unread(name):
        return f"unknown measure {shown(text)}: {reason}"
    if name in NICKNAMES:
        return f"{name} is a set of measures: irbounds.evaluate takes it"
    if name in TREC_ROWS and not TREC_ROWS[name].form:
        return f"{name} is text: irbounds eval --format trec prints it"
    if name.startswith("gm_"):
        return f"unknown measure {shown(text)}: geometric means are those of gm_map and gm_bpref"
    if choice := asked_about(name):
        return f"unknown measure {shown(text)}: {choice}"
    if (rule := FOLLOWING.get(_key(_without_cutoff(name)))) is not None:
        return f"unknown measure {shown(text)}: {rule}"
    if re.fullmatch(r"\d+", name):
        return f"cannot read the measure {shown(text)}: write all cut-offs, as in P@5 P@10"
    columns = trec_columns(name) or []
    if len(columns) == 1 and columns[0].measure:  # rbp_p=0.8
        hint = f", did you mean {columns[0].measure!r}?"
    else:
        hint = nearest(" ".join(text[:200].split()), [*names_elsewhere(), *known], parses)
    if is_name:
        return f"unknown measure {shown(text)}{hint}; irbounds.measures() lists all"
    return f"cannot read the measure {shown(text)}{hint or ': write it as in P(rel=2)@5'}"


def asked_about(text: str) -> str:
    """The choice that a word leaves which stands for different measures; otherwise nothing."""
    choice = ASKED.get(_key(re.split(r"[@(]", text, maxsplit=1)[0])) or ASKED.get(
        _key(_without_cutoff(text))
    )
    number = re.search(r"(\d+)\s*$", text)
    return choice.format(at=f"@{number[1]}" if number else "@k") if choice else ""


def _without_cutoff(text: str) -> str:
    """A name without what tools write behind it: hits@10, hits_at_10."""
    head = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    match = TAIL.fullmatch(head)
    return head if match is None or match[2] is None else match[1]


def nearest(text: str, known: Iterable[str], parses: Callable[[str], bool]) -> str:
    """ ", did you mean 'nDCG@10'?" if a known name is similar, otherwise nothing.

    Parameters
    ----------
    text : str
        The name that no measure has.
    known : iterable of str
        The names of all tools; of names that differ in case alone, the last one counts.
    parses : callable
        Whether a text is a measure.
    """
    head = re.split(r"[@(]", text, maxsplit=1)[0].strip()
    rest = text.strip()[len(head) :].replace(" ", "")
    head = SIMILARITY.sub("", head, count=1)
    with_value = re.fullmatch(r"([^\W_]+)[_.@ -](\w+=[\w.]+)(@\d+)?", text.strip())
    if with_value is not None:  # rbp-p=0.8
        head, rest = with_value[1], f"({with_value[2]}){with_value[3] or ''}"
    names = {**FOREIGN, **{_key(name): name for name in known}}
    for key in FOREIGN:
        if not parses(names[key]) and not parses(names[key] + "@10"):
            names[key] = FOREIGN[key]
    if rest == "" and _key(head) not in names:  # ndcg_at_10, nDCG10
        match = TAIL.fullmatch(head)
        if match is not None and match[2] is not None:
            head, rest = match[1], f"@{match[2]}{match[3]}"
    key = _key(SMALL.get(head, head))
    if key in WITHOUT_LIKE:
        return ""
    if key not in names:
        close = difflib.get_close_matches(key, names, n=1, cutoff=0.65)
        if not close:
            return ""
        key = close[0]
    name = names[key]
    if re.match(
        r"\([^()]*\)", rest
    ):  # hit_rate(rel=4)@2: a name of another tool takes no parameters
        inside, _, cutoff = rest.rpartition("@") if "@" in rest else (rest, "", "")
        at = f"@{cutoff}" if cutoff else ""
        here = re.split(r"[@(]", from_elsewhere(name + at), maxsplit=1)[0]
        forms = [ALIASES.get(here, here) + inside + at, name + rest]
        form = next((form for form in forms if form != text and parses(form)), None)
        # A hint without the parameters would be another number.
        return f", did you mean {form!r}?" if form else ""
    rest = re.sub(r"@k?$", "@10", rest)  # the cut-off that is left open
    cutoff = rest[rest.rfind("@") :] if "@" in rest else ""
    forms = [name + rest, name + cutoff, name, name + "@10"]
    if rest.endswith("%"):  # recall@10%
        forms.insert(0, "R" + rest)
    elif re.fullmatch(r"@\d{2,3}", rest):  # wss@95
        forms.insert(1, f"{name}@{float(rest[1:]) / 100:g}")
    for form in forms:
        if form != text and parses(form):
            return f", did you mean {form!r}?"
    return f", did you mean {name!r}?" if name != text else ""
