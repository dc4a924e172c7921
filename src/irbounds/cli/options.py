"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

DEFAULT_MEASURES = "AP nDCG@10 P@10 RR"

MeasureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--measures",
        "-m",
        help=f'Measures, such as "AP PRR(recall=0.5)"; without it "{DEFAULT_MEASURES}".',
    ),
]
OutputOption = Annotated[
    str | None, typer.Option("--output", "-o", help="Write to this file instead of the screen.")
]
