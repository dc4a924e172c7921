"""The columns of reviewers' tables by the names that people give them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from irbounds.foundation.errors import InputError, suggest

# Names of each column besides its own, without blanks, hyphens and underscores, and in small
# letters; the last ones are German and French.
ALIASES: Mapping[str, Sequence[str]] = {
    "segment": ("segments", "set", "stratum", "group", "part", "teil"),
    "size": (
        *("population", "populationsize", "segmentsize", "stratumsize", "documents", "docs"),
        *("numberofdocuments", "documentcount", "doccount", "ndocs", "ndocuments"),
        *("dokumente", "umfang", "grundgesamtheit", "taille", "effectif"),
    ),
    "sampled": (
        *("sample", "samplesize", "reviewed", "assessed", "insample", "drawn", "samplecount"),
        *("documentssampled", "docssampled", "documentsreviewed", "docsreviewed", "nsampled"),
        *("sampleddocuments", "revieweddocuments", "stichprobe", "gepruft", "geprüft"),
        *("echantillon", "échantillon"),
    ),
    "relevant": (
        *("responsive", "relevantdocuments", "responsivedocuments", "relevantdocs", "nrelevant"),
        *("relevantinsample", "responsiveinsample", "relevantfound", "responsivefound"),
        *("responsivedocs", "relevante", "pertinents", "pertinent"),
    ),
    "audited": ("audit", "auditsize", "auditsample", "sampled", "sample", "samplesize", "reviewed"),
    "call": ("calls", "coding", "coded", "decision", "reviewercall"),
    "prevalence": ("richness", "rate", "relevancerate", "pravalenz", "prävalenz"),
    "probability": ("inclusionprobability", "inclusion", "samplingprobability"),
    "document": ("doc", "docid", "documentid", "docno", "id", "controlnumber", "bates", "begbates"),
    "retrieved": ("produced", "isretrieved", "included", "hit", "retrouve", "retrouvé", "gefunden"),
    "position": ("positions", "place"),
    "tp": ("truepositives", "truepositive"),
    "fp": ("falsepositives", "falsepositive"),
    "fn": ("falsenegatives", "falsenegative"),
    "tn": ("truenegatives", "truenegative"),
}
# The literature's, which differ by their case alone.
LETTERS = {"N": "size", "n": "sampled", "r": "relevant"}


def folded(cell: str) -> str:
    """A name without case, blanks, hyphens, underscores and signs such as # and ()."""
    return "".join(letter for letter in cell.casefold() if letter.isalnum())


def column_names(
    cells: Sequence[str],
    needed: Sequence[str],
    optional: Sequence[str],
    given: Mapping[str, str],
    where: str,
) -> list[str]:
    """The names in a header: columns that are needed or optional by their own names, others in
    small letters.  `given` says which cell is which, as --columns does."""
    known = (*needed, *optional)
    columns = _given(cells, given, known, where)
    for name in known:
        if name in columns:
            continue
        places = [i for i, column in enumerate(columns) if column is None]
        own = [i for i in places if folded(cells[i]) == name]
        if not own:
            own = [i for i in places if LETTERS.get(cells[i]) == name]
        if not own:
            # a name that is another column's own is not an alias
            own = [
                i
                for i in places
                if folded(cells[i]) in ALIASES.get(name, ()) and folded(cells[i]) not in known
            ]
        if len(own) > 1:
            found = " and ".join(repr(cells[i]) for i in own)
            one = f"name one with --columns {name}={cells[own[0]] or 'COLUMN'}"
            if len({folded(cells[i]) for i in own}) == 1:
                one = "delete or rename one, which may be hidden"
            raise InputError(f"{where}: duplicate column {name!r}: {found} may be it; {one}")
        if own:
            columns[own[0]] = name
    names = [column or cell.lower() for column, cell in zip(columns, cells, strict=True)]
    missing = [name for name in needed if name not in names]
    if missing:
        _refuse(missing, cells, needed, where)
    return names


def _given(
    cells: Sequence[str], given: Mapping[str, str], known: Sequence[str], where: str
) -> list[str | None]:
    """The columns that --columns names, None for the others."""
    columns: list[str | None] = [None] * len(cells)
    for name, cell in given.items():
        if name not in known:
            raise InputError(
                f"--columns: this table has no column {name!r}{suggest(name, known)}; its columns "
                f"are {', '.join(known)}"
            )
        places = [i for i, own in enumerate(cells) if own == cell] or [
            i for i, own in enumerate(cells) if folded(own) == folded(cell)
        ]
        if len(places) != 1:
            number = "no column" if not places else "several columns"
            raise InputError(
                f"{where}: there is {number} {cell!r}, which --columns names as {name}; found "
                f"{', '.join(cells)}"
            )
        columns[places[0]] = name
    return columns


def _refuse(
    missing: Sequence[str], cells: Sequence[str], needed: Sequence[str], where: str
) -> None:
    wanted = ", ".join(needed)
    letters = [letter for letter, name in LETTERS.items() if name in needed]
    if len(letters) == len(LETTERS):
        wanted += f" (or {', '.join(letters)} for the last {len(letters)})"
    others = "; other names with --columns NAME=COLUMN,..."
    if len(missing) == len(needed) or all(name in missing for name in needed[1:]):
        raise InputError(
            f"{where}: expected a header with the columns {wanted}; found {', '.join(cells)}"
            f"{others}"
        )
    raise InputError(
        f"{where}: expected a column {missing[0]!r}; found {', '.join(cells)}"
        f"{suggest(missing[0], cells)}; the table has {wanted}{others}"
    )
