"""Functions that all pages use: formats of numbers, dates, and output files."""

from __future__ import annotations

import functools
import html
import math
import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from irbounds._version import __version__
from irbounds.foundation.arguments import check_date, check_text
from irbounds.foundation.atomic import write_file
from irbounds.foundation.errors import fail
from irbounds.foundation.paths import check_page, name_of, numbered, short_names
from irbounds.foundation.rounding import (
    SURE_DIGITS,
    places_below_one,
    probability,
    rounded_down,
    rounded_up,
)
from irbounds.plot.canvas import drawable

if TYPE_CHECKING:
    from irbounds.typing import DateLike, PathLike

MOST_OF_FOOT = 80  # letters of the subject below each printed sheet


@dataclass(frozen=True)
class Page:
    """The top of a page, and the file that it is written to."""

    title: str
    date: str
    subject: str
    output: PathLike | None

    @classmethod
    def of(cls, title: str, date: DateLike, output: PathLike | None, subject: str = "") -> Page:
        """The checked arguments; a missing extra is an error before any work is done."""
        try:
            import jinja2  # noqa: F401
            import matplotlib  # noqa: F401
        except ImportError:
            raise ImportError(
                'reports need Jinja2 and Matplotlib: pip install "irbounds[report]"'
            ) from None
        subject = check_text("subject", subject)
        return cls(check_text("title", title), check_date(date), subject, output)

    def options(self, usual_title: str | None = None) -> dict[str, Any]:
        """As options of the command that makes the page; without the title that it has anyway."""
        title = None if self.title == usual_title else self.title
        return {"subject": self.subject, "title": title, "date": self.date}

    def foot(self, hashed: object) -> str:
        """The foot of each printed sheet: the subject, the date, the first digits of a hash."""
        about = self.subject or self.title
        if len(about) > MOST_OF_FOOT:
            about = about[: MOST_OF_FOOT - 1] + "…"
        return " · ".join([about, self.date, *([f"SHA-256 {hashed}"[:20] + "…"] if hashed else [])])

    def render(self, template: str, **contents: object) -> str:
        """The page, by one of the templates; written to its file, if it has one."""
        top = {"title": self.title, "date": self.date, "subject": self.subject}
        top["foot"] = self.foot(contents.get("hash"))
        text: str = (
            _templates().get_template(template).render(versions=versions(), **top, **contents)
        )
        text = text.replace("</style>", f"{labels_of_cells(text)}</style>", 1)
        if self.output is not None:
            check_page("output", self.output)
            write_file(text.encode(), self.output)
        return text


def css_text(text: str) -> str:
    """The inside of a string of CSS, in which only letters and digits stand for themselves."""
    return re.sub(r"[^A-Za-z0-9]", lambda sign: f"\\{ord(sign[0]):x} ", drawable(text))


def labels_of_cells(page: str) -> str:
    """A rule of CSS for each column of each table: small screens show its head before its cells."""
    rules = []
    for table in re.finditer(r'<table id="(\w+)".*?</thead>', page, re.DOTALL):
        heads = re.findall(r'<th scope="col"[^>]*>(.*?)</th>', table[0], re.DOTALL)
        for i, head in enumerate(heads[1:], 2):
            text = css_text(html.unescape(re.sub(r"<[^>]*>", "", head)))
            rules.append(f'#{table[1]} td:nth-child({i})::before {{ content: "{text}"; }}\n')
    return f"@media screen and (max-width: 40rem) {{\n{''.join(rules)}}}\n" if rules else ""


@functools.cache
def _templates() -> Any:
    """The templates, each of which is compiled once in a process, and their formats of numbers."""
    import jinja2
    from markupsafe import Markup

    def data(value: float, text: str) -> Markup:
        """A number as readers see it, which carries all its digits for programs."""
        return Markup('<data value="{}">{}</data>').format(repr(float(value)), text)

    def number(value: float, digits: int = 4, unit: str = "") -> Markup:
        """A rounded number."""
        return data(value, written(value, digits, unit))

    def estimate(value: float, digits: int = 4, unit: str = "") -> Markup:
        """A share; one below 1 has as many digits as tell it from 1, and one above 0 two that are
        not 0."""
        return number(value, digits + more_places(value, digits + 2 * (unit == "%")), unit)

    def at_least(value: float, digits: int = 4, unit: str = "") -> Markup:
        """A lower end, rounded down: rounded to the nearest it would claim too much."""
        return data(value, written(rounded_down(value, digits, unit), digits, unit))

    def at_most(value: float, digits: int = 4, unit: str = "") -> Markup:
        """An upper end, rounded up."""
        return data(value, written(rounded_up(value, digits, unit), digits, unit))

    def chance(value: float) -> Markup:
        """A probability; one that is neither 0 nor 1 is not shown as such."""
        text = probability(value).removeprefix("= ")
        return data(value, text.replace(" ", "\N{NO-BREAK SPACE}"))

    def p_value(value: float) -> Markup:
        """A p-value; one that rounds to 0 is shown as less than the smallest shown value."""
        return data(value, "< 0.0001" if value < 0.00005 else written(value))

    def unbroken(command: str) -> Markup:
        """A command in which no line ends within the name of an option."""
        keep = Markup('<span class="keep">{}</span>')
        words = command.split(" ")
        return Markup(" ").join(keep.format(x) if x.startswith("--") else x for x in words)

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("irbounds.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            drawable(value) if isinstance(value, str) and not isinstance(value, Markup) else value
        ),
    )
    for function in (number, estimate, chance, at_least, at_most, p_value, css_text, unbroken):
        environment.filters[function.__name__] = function
    environment.filters["drawing"] = Markup  # from `chart`, which escapes what it is given
    return environment


def command_line(
    page: str, inputs: Iterable[str], options: Mapping[str, Any], output: PathLike | None
) -> str:
    """The command that makes a page.  Options that are None, empty or False are left out, one that
    is True has no value, and a list repeats its option.  The page's file is in any folder."""
    parts = ["irbounds", "report", page, *inputs]
    for name, given in options.items():
        for value in given if isinstance(given, list) else [given]:
            if value is None or value is False or value == "":
                continue
            option = name if name.startswith("-") else f"--{name.replace('_', '-')}"
            parts += [option] if value is True else [option, str(value)]
    return shlex.join([*parts, "-o", f"{page}.html" if output is None else file_of(output)])


def file_of(path: PathLike) -> str:
    """The name of a file without its folders, which are of one machine."""
    return os.path.basename(name_of(path))  # noqa: PTH119, which keeps odd names


def more_places(value: float, places: int) -> int:
    """How many more decimals tell a share from 0 and from 1."""
    least = 1 - math.floor(math.log10(value)) if 0 < value < 1 else places
    return places_below_one(value, min(SURE_DIGITS, max(places, least))) - places


def written(value: float, digits: int = 4, unit: str = "") -> str:
    """A number for readers: a share as "0.8696" or, with unit "%", as "87.0 %"; counts with
    commas."""
    if math.isnan(value):
        return "—"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = f"{abs(value) * (100 if unit == '%' else 1):,.{digits}f}"
    return (
        ("−" if value < 0 and float(text.replace(",", "")) else "")
        + text
        + (unit and f"\N{NO-BREAK SPACE}{unit}")
    )


def levels(level: float, target: float | None) -> dict[str, Any]:
    """A confidence level and a target of recall, if there is one, by their names in templates."""
    digits = decimals(100 * level)
    return {
        "level": written(level, digits, "%"),
        "miss": written(1 - level, digits, "%"),
        "is_low": level < 0.5,
        "target": target,
        "target_digits": 0 if target is None else decimals(100 * target),
        # a bound that reaches the target is not printed below it
        "fine": 1 if target is None else max(1, decimals(100 * target)),
    }


def decimals(number: float) -> int:
    """The number of decimals without the digits that the binary format adds."""
    return len(f"{number:.10g}".partition(".")[2])


def versions() -> str:
    """The versions of the software that computed the numbers."""
    import numpy
    import scipy

    return f"irbounds {__version__}, NumPy {numpy.__version__}, SciPy {scipy.__version__}"


def by_name(items: Any, what: str) -> dict[str, Any]:
    """Runs or judgments by name: the keys of a dict, otherwise file names, with their folders if
    needed."""
    if isinstance(items, Mapping):
        named = {str(name): item for name, item in items.items()}
    else:
        listed = list(items) if isinstance(items, list | tuple) else [items]
        paths = [
            name_of(item) if isinstance(item, str | bytes | os.PathLike) else f"{what} {i}"
            for i, item in enumerate(listed, 1)
        ]
        named = dict(zip(numbered(short_names(paths)), listed, strict=True))
    if not named:
        fail(f"{what}s", f"must have at least one {what}", items)
    return named
