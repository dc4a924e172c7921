"""The table of measures as people read it."""

from __future__ import annotations

from dataclasses import dataclass

from irbounds.rankings.measure_table.spec import MeasureSpec, Parameter
from irbounds.rankings.measure_table.table import SPECS


@dataclass(frozen=True)
class MeasureInfo:
    """What `measures()` tells of a measure."""

    name: str
    form: str
    definition: str
    tie_rule: str
    source: str
    parameters: dict[str, str]

    def __repr__(self) -> str:
        return f"{self.form}: {self.definition} Ties: {self.tie_rule} Source: {self.source}"


def _rule(parameter: Parameter) -> str:
    default = "" if parameter.default is None else f" (default {parameter.default})"
    return f"{parameter.rule}{default}"


def describe(spec: MeasureSpec) -> MeasureInfo:
    """A row of the table as people read it."""
    return MeasureInfo(
        spec.name,
        spec.form,
        spec.definition,
        spec.tie_rule,
        spec.source,
        {key: _rule(parameter) for key, parameter in spec.parameters.items()},
    )


def measures() -> list[MeasureInfo]:
    """All measures, each with its definition, its source and its tie rule.

    Examples
    --------
    >>> import irbounds as irb
    >>> [info.form for info in irb.measures()][:3]
    ['AP[@k]', 'APMin@k', 'APRet[@k]']
    """
    return [describe(spec) for spec in SPECS.values()]
