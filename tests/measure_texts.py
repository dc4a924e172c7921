"""Names of measures as the twins take them."""

import re
from fractions import Fraction

OTHER_NAMES = {"R_cap": "RelP", "GMAP": "AP", "GMBpref": "Bpref", "T": "target"}


def twin_of(text, at="cutoff"):
    """The name and the options of a measure in the twins; the number behind @ is the option `at`.

    >>> twin_of("ERR(max_rel=3)@5")
    ('ERR', {'max_rel': 3, 'cutoff': 5})
    """
    name, _, given, _, cut = re.fullmatch(r"(\w+)(\((.+)\))?(@(.+))?", text).groups()
    options = dict(item.split("=") for item in given.split(",")) if given else {}
    if cut:
        options["recall" if name == "IPrec" else at] = cut
    options = {OTHER_NAMES.get(key, key): value_of(value) for key, value in options.items()}
    return OTHER_NAMES.get(name, name), options


def value_of(text):
    """A whole number, a fraction, True or False, or the text."""
    try:
        return int(text) if text.isdigit() else Fraction(text)
    except ValueError:
        return {"True": True, "False": False}.get(text, text)


def twins_of(texts, at="cutoff"):
    """{name of a measure: its name and options in the twins}."""
    return {text: twin_of(text, at) for text in texts.split()}
