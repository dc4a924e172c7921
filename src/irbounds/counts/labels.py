"""Labels of the same objects: one conversion and one check for all containers.

The file is longer than 400 lines because the checks stand beside the labels that they read.
"""

from __future__ import annotations

import contextlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set, ValuesView
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from irbounds._core.counts.label_codes import codes_of_objects, codes_of_texts
from irbounds.foundation.arguments import check_counts, check_same_index, is_masked
from irbounds.foundation.errors import InputError, fail, shown
from irbounds.foundation.spelling import as_seen, key_of

if TYPE_CHECKING:
    from irbounds.typing import ArrayLike, FloatOrArray, LabelsLike

# Words for "no value" of pandas, R, ARFF and spreadsheets; "none" in small letters is a class.
MISSING = frozenset(
    {"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "None", "null", "NULL"}
)
FEW_NUMBERS = 2**16  # from the least to the greatest label: bytes that mark those that occur
RULE = "must have a label for every object"


class Labels:
    """One vector of labels: an array in which equal labels are equal, and what they are.

    `kind` is "numbers", "strings", or "" for other objects, which are compared as they are.
    """

    def __init__(self, name: str, vector: LabelsLike) -> None:
        if is_masked(vector):
            fail(name, RULE, vector, "with masked elements")
        self.name = name
        self.array = array = _as_array(name, vector)
        self._distinct: list[Any] | None = None
        self._codes: np.ndarray | None = None  # of the labels in `_distinct`, by number
        self._is_whole = False
        letter = array.dtype.kind
        self.kind = "numbers" if letter in "buif" else "strings" if letter == "U" else ""
        if letter == "O":
            self.kind = self._kind_of_objects()
        elif letter == "f":
            self._is_whole = bool((array == np.floor(array)).all())
            if not self._is_whole:
                self._refuse_where(np.isnan(array))
        elif letter in "mM":
            self._refuse_where(np.isnat(array))
        elif letter == "U" and isinstance(vector, list | tuple):
            self._refuse_mixture(np.array(vector, object))  # NumPy made words of numbers

    def distinct(self) -> list[Any]:
        """The labels that occur, each once."""
        if self._distinct is None:
            self._distinct = self._found()
        return self._distinct

    def marks(self, label: Hashable) -> np.ndarray:
        """Where the label is."""
        if self.array.dtype.kind == "U":
            self.distinct()
        if self._codes is None or self._distinct is None:
            return np.asarray(self.array == label)
        if label not in self._distinct:
            return np.zeros(self.array.shape, bool)
        return self._codes == self._distinct.index(label)

    def _found(self) -> list[Any]:
        """The labels, in one pass where they are few texts: objects of them would take longer."""
        array = self.array
        if array.dtype.kind == "i" and array.size:  # classes: sorting would take 20 times as long
            low, high = int(array.min()), int(array.max())
            if high - low < FEW_NUMBERS:
                is_found = np.zeros(high - low + 1, bool)
                is_found[np.subtract(array, low, dtype=np.int64)] = True
                return [low + i for i in is_found.nonzero()[0].tolist()]
        if array.dtype.kind != "U":
            return np.unique(array).tolist()
        rows = np.ascontiguousarray(array).reshape(-1)
        if rows.size and array.dtype.itemsize:
            numbered = codes_of_texts(rows.view(np.uint8).reshape(rows.size, -1))
            if numbered is not None:
                self._codes = numbered[0].reshape(array.shape)
                return [str(rows[i]) for i in numbered[1]]
        return list(set(rows.tolist()))

    def refuse_missing_words(self, wanted: Iterable[Any]) -> None:
        """Refuse the words for "no value", unless they are asked for."""
        if self.kind != "strings":
            return
        words = [word for word in self.distinct() if word in MISSING or not word.strip()]
        unwanted = [word for word in words if word not in wanted]
        if unwanted:
            self._refuse_where(np.isin(self.array.astype(object), unwanted))

    def listed(self) -> str:
        """A few of the labels, for messages."""
        return _listed(self.distinct())

    def fractions(self) -> set[Any]:
        """The numbers that are not whole."""
        if self._is_whole or self.array.dtype.kind in "biu":
            return set()
        return {label for label in self.distinct() if _is_fraction(key_of(label))}

    def _kind_of_objects(self) -> str:
        flat = self.array.ravel()
        try:
            numbered = codes_of_objects(flat if flat.flags.writeable else flat.copy())
            if numbered is None:
                self._distinct = list(set(flat.tolist()))
            else:
                self._codes = numbered[0].reshape(self.array.shape)
                self._distinct = [flat[i] for i in numbered[1]]
        except TypeError:  # lists, dicts
            fail(self.name, "must have labels that can be told apart, such as texts", flat[0])
        types = set(map(type, self._distinct))
        if all(issubclass(each, str) for each in types):
            return "strings"
        if any(_is_missing(label) for label in self._distinct):
            marks = np.array([_is_missing(label) for label in flat], bool)
            self._refuse_where(marks.reshape(self.array.shape))
        if all(issubclass(each, Number | np.number | np.bool_) for each in types):
            return "" if any(issubclass(each, complex) for each in types) else "numbers"
        if any(issubclass(each, str | Number) for each in types):
            self._refuse_mixture(self.array)
        return ""

    def _refuse_where(self, missing: np.ndarray) -> None:
        if missing.any():
            i = int(np.argmax(missing))
            fail(self.name, RULE, self.array.item(i), f"at index {i}")

    def _refuse_mixture(self, objects: np.ndarray) -> None:
        labels = objects.ravel().tolist()
        for i, label in enumerate(labels):
            if _is_missing(label):
                fail(self.name, RULE, label, f"at index {i}")
        for i, label in enumerate(labels):
            if isinstance(label, str) != isinstance(labels[0], str):
                raise InputError(
                    f"`{self.name}` must have labels all strings or all numbers; found "
                    f"{shown(labels[0])} and {shown(label)} at index {i}"
                )


def _as_array(name: str, vector: LabelsLike) -> np.ndarray:
    if isinstance(vector, str | bytes | Mapping | Set):
        fail(name, "must be a list or an array of labels", vector)
    if isinstance(vector, Iterator | ValuesView):
        vector = list(vector)
    # A list of texts: NumPy's fixed widths would take six times as long.
    if isinstance(vector, list | tuple) and vector and isinstance(vector[0], str):
        array = np.array(vector, object)
    else:
        array = np.asarray(vector)
    return array.astype(object) if array.dtype.kind == "T" else array


def _is_missing(label: object) -> bool:
    """None, nan, NaT and pandas' NA; the last ones do not equal themselves."""
    try:
        return label is None or ((label == label) is not True and bool(label != label))
    except (TypeError, ValueError):  # NA
        return True


def _listed(labels: Iterable[Any]) -> str:
    texts = sorted(map(shown, labels))
    return ", ".join(texts[:5]) + (", …" if len(texts) > 5 else "")


def as_labels(**vectors: LabelsLike) -> list[Labels]:
    """Vectors of labels, or indicator arrays, of the same objects."""
    check_same_index(**vectors)
    try:
        found = [Labels(name, vector) for name, vector in vectors.items()]
    except InputError:
        raise
    except ValueError:
        raise InputError(
            f"{' and '.join(f'`{name}`' for name in vectors)} must have rows of one length"
        ) from None
    first = found[0].array
    if first.ndim not in (1, 2) or any(own.array.shape != first.shape for own in found):
        shapes = ", ".join(f"`{own.name}` {own.array.shape}" for own in found)
        raise InputError(
            f"labels must be of the same objects, in one shape of one or two axes; found {shapes}"
        )
    # NumPy finds strings and numbers unequal: every object would count as an error.
    if len({own.kind for own in found}) > 1 and first.size:
        kinds = ", ".join(f"`{own.name}` {own.kind or 'other objects'}" for own in found)
        raise InputError(f"labels must be all strings or all numbers; found {kinds}")
    return found


def label_marks(
    vectors: dict[str, Any], positive: FloatOrArray, labels: Sequence[Any] | None
) -> list[np.ndarray]:
    """Marks of the relevant objects: one axis for objects, and a second one for several
    categories.  The first vector is the truth."""
    found = as_labels(**vectors)
    if labels is not None:
        return marks_of_each(found, labels)
    if found[0].array.ndim == 2:
        return [_given_marks(own) for own in found]
    if found[0].kind == "strings" and isinstance(positive, int | float) and found[0].array.size:
        example = shown(str(found[0].array.flat[0]))
        raise InputError(f"labels are strings: pass `positive`, for example positive={example}")
    for own in found:
        own.refuse_missing_words((positive,))
    _refuse_two_spellings(found, positive)
    marks = [marks_where(own, "positive", positive) for own in found]
    if found[0].array.size and not all(each.any() for each in marks):
        _check_vocabulary(found, marks, positive)
    _refuse_scores(found, (positive,))
    if key_of(positive) == 1:
        _refuse_grades(found)
    return marks


def _refuse_grades(found: list[Labels]) -> None:
    """Refuse grades beside labels 0 and 1: grade 2 would count as not relevant."""
    if found[0].array.dtype.kind == "b" or found[0].kind == "":
        return
    own = [set(map(key_of, labels.distinct())) for labels in found]
    plain = next((labels for labels, keys in zip(found, own, strict=True) if keys <= {0, 1}), None)
    for labels, keys in zip(found, own, strict=True):
        if plain is not None and keys >= {1} and keys - {0, 1} and keys != {-1, 1}:
            raise InputError(
                f"`{labels.name}` has the labels {labels.listed()}, and `{plain.name}` "
                f"{plain.listed()}: write all labels that count as relevant as 1 and the others as "
                "0, and leave out objects without a label"
            )


def _refuse_two_spellings(found: list[Labels], positive: object = None) -> None:
    """Refuse labels that look alike and are not equal, as "yes" and "yes " are; the case of letters
    may tell labels apart, but not the relevant label from one that not all vectors have."""
    if found[0].kind != "strings":
        return
    seen: dict[str, Any] = {}
    own_labels = [set(own.distinct()) for own in found]
    shared = set.intersection(*own_labels)
    wanted = positive if positive in set.union(*own_labels) else None
    for own in found:
        for label in own.distinct():
            other = seen.setdefault(as_seen(label), label)
            if isinstance(wanted, str) and label not in shared:
                other = wanted if label.casefold() == wanted.casefold() else other
            if other != label and key_of(other) != key_of(label):
                raise InputError(
                    f"`{own.name}` has the label {label!a}, which looks like {other!a}: write one "
                    "label in one way"
                )


def _given_marks(own: Labels) -> np.ndarray:
    array = own.array
    if array.dtype.kind != "b" and not np.isin(array, (0, 1)).all():
        fail(
            own.name,
            "must have marks 0 or 1 if it has two axes",
            array[~np.isin(array, (0, 1))].tolist()[0],
        )
    return array.astype(bool)


def _check_vocabulary(found: list[Labels], marks: list[np.ndarray], positive: object) -> None:
    """Refuse vectors that do not speak of the same labels: one lacks the relevant label and has
    one that another lacks."""
    own = [set(map(key_of, labels.distinct())) for labels in found]
    everything = set().union(*own)
    explained = {0, -1} if key_of(positive) in (0, 1) else set()
    if not any(each.any() for each in marks) and everything - explained:
        known = _listed({label for labels in found for label in labels.distinct()})
        raise InputError(f"no object has the label {shown(positive)}, `positive`; found {known}")
    if everything <= {0, 1} or (everything <= {-1, 1} and key_of(positive) in (-1, 1)):
        return  # such labels explain themselves: all 0, or one vector all 0 and the other all 1
    truth = found[0]
    for other, seen, marked in zip(found[1:], own[1:], marks[1:], strict=True):
        for one, two, has, lacks, mark in (
            (truth, other, own[0], seen, marks[0]),
            (other, truth, seen, own[0], marked),
        ):
            foreign = [label for label in one.distinct() if key_of(label) not in lacks]
            if foreign and has and not mark.any():
                hint = ": apply a threshold to scores" if one.fractions() else ""
                raise InputError(
                    f"`{one.name}` never has the label {shown(positive)}, and has labels that "
                    f"`{two.name}` never has: {_listed(foreign)}; `{two.name}` has "
                    f"{two.listed()}: write the same labels in both{hint}"
                )


def _refuse_scores(found: list[Labels], wanted: Sequence[Any]) -> None:
    """Refuse fractions that one vector alone has: probabilities are no labels."""
    if any(isinstance(key_of(label), str) for label in wanted) or found[0].kind == "":
        return
    fractions = [own.fractions() for own in found]
    for own, mine in zip(found, fractions, strict=True):
        shared = set.intersection(*fractions)
        foreign = [label for label in mine if label not in shared and label not in wanted]
        if foreign:
            raise InputError(
                f"`{own.name}` must have labels; found {_listed(foreign)}, as scores or "
                "probabilities are: apply a threshold first"
            )


def _is_fraction(key: Hashable) -> bool:
    if hasattr(key, "to_integral_value"):  # a decimal, perhaps with a large exponent
        return bool(key != key.to_integral_value())
    return isinstance(key, Number) and not isinstance(key, complex) and bool(key % 1)  # type: ignore[operator]


def label_weights(weights: ArrayLike | None, truth: LabelsLike, n: int) -> np.ndarray:
    """The weight of each object; 1 by default."""
    check_same_index(truth=truth, weights=weights)
    weight = np.ones(n) if weights is None else check_counts("weights", weights)
    if weight.shape != (n,):
        raise InputError(
            f"`weights` must have one number for each of {n} objects; found shape {weight.shape}"
        )
    return weight


def marks_of_each(found: list[Labels], labels: Sequence[Any]) -> list[np.ndarray]:
    """Marks with a last axis, one entry for each label."""
    if (
        isinstance(labels, str | bytes)
        or not hasattr(labels, "__len__")
        or not np.ndim(_objects(labels))
    ):
        fail("labels", "must be a list of labels", labels)
    if not len(labels):
        raise InputError("`labels` must have one label at least")
    marks = [
        np.moveaxis(np.stack([marks_where(own, "labels", label) for label in labels]), 0, -1)
        for own in found
    ]
    check_labels(found, labels)
    occurs = sum(each.any(axis=tuple(range(each.ndim - 1))) for each in marks)
    known = {label for own in found for label in own.distinct()}
    unlisted = [label for label in known if label not in labels]
    for label, often in zip(labels, np.atleast_1d(occurs), strict=True):
        # A class may be absent, a mistyped one may not.
        if not often and any(_folded(label) == _folded(other) for other in unlisted):
            raise InputError(
                f"no object has the label {shown(label)} of `labels`; found {_listed(known)}"
            )
    return marks


def _folded(label: object) -> str:
    try:
        return str(label).strip().lower()
    except ValueError:  # whole numbers of over 4,300 digits have no text
        return shown(label)


def check_labels(found: list[Labels], wanted: Sequence[Any] = ()) -> None:
    """Refuse words for missing labels, fractions that one vector alone has, and vectors that have
    no label of the truth at all."""
    for own in found:
        own.refuse_missing_words(wanted)
    _refuse_two_spellings(found)
    _refuse_scores(found, wanted)
    if found[0].array.dtype.kind == "b":
        return
    truth = set(map(key_of, found[0].distinct()))
    for own in found[1:]:
        seen = set(map(key_of, own.distinct()))
        if seen and not seen & truth and not seen | truth <= {0, 1}:
            raise InputError(
                f"`{own.name}` has no label of `{found[0].name}`: {own.listed()} and "
                f"{found[0].listed()}: write the same labels in both"
            )


def spelt_alike(found: list[Labels]) -> list[np.ndarray]:
    """The vectors, with one spelling of labels that are one: "1" and "1.0"."""
    arrays = [own.array for own in found]
    if found[0].kind != "strings":
        return arrays
    labels = sorted({label for own in found for label in own.distinct()}, key=lambda x: (len(x), x))
    first: dict[Any, str] = {}
    other = {
        label: one for label in labels if (one := first.setdefault(key_of(label), label)) != label
    }
    if not other:
        return arrays
    return [
        np.array([other.get(label, label) for label in array.ravel().tolist()], object).reshape(
            array.shape
        )
        for array in arrays
    ]


def marks_where(own: Labels, argument: str, label: Hashable) -> np.ndarray:
    """Marks of the objects with this label."""
    array = own.array
    marks = np.empty(0)
    is_word = isinstance(label, str)
    is_other = own.kind != "" and is_word != (own.kind == "strings")
    if is_other and array.size and np.ndim(_objects(label)) == 0:
        fail(argument, f"must be one of the labels, which are {own.kind}", label)
    if is_word and not isinstance(key_of(label), str):  # "1" is "1.0" and "+1", and True 1
        spelt = [word for word in own.distinct() if key_of(word) == key_of(label)]
        return own.marks(label) if spelt == [label] else np.isin(array.astype(object), spelt)
    with contextlib.suppress(ArithmeticError, TypeError, ValueError):  # whose comparison fails
        if np.ndim(_objects(label)) == 0:
            marks = own.marks(label)
    if marks.shape != array.shape or marks.dtype.kind != "b":
        fail(argument, "must hold labels" if argument == "labels" else "must be one label", label)
    return marks


def _objects(value: object) -> np.ndarray:
    try:
        return np.asarray(value, dtype=object)
    except ValueError:  # rows of several lengths
        return np.empty(1, object)
