"""Draw docs/_static/terminal.svg: the first commands of the README, typed, with what they print.

python tools/record_terminal.py
"""

import html
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "_static" / "terminal.svg"
COMMANDS = ("python examples/rename_documents.py", "irbounds demo")
LETTER, LINE, MARGIN = 7.83, 18, 14  # pixels, of letters of 13
TYPING, WAIT, PAUSE = 0.05, 0.4, 3.0  # seconds: for a letter, for the output, for readers
STYLE = """
text { font: 13px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #e6e8ea; }
text { white-space: pre; animation: show 1ms both; }
.typed { fill: #7cc4f4; animation: type 1s both; }
@keyframes show { from { opacity: 0; } }
@keyframes type { from { clip-path: inset(0 100% 0 0); } to { clip-path: inset(0); } }
@media (prefers-reduced-motion) { text { animation: none; } }
"""


def output(command: str) -> list[str]:
    """The lines that a command prints."""
    program, *words = shlex.split(command)
    start = [sys.executable, "-m", "irbounds"] if program == "irbounds" else [sys.executable]
    done = subprocess.run(
        [*start, *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=True
    )
    return done.stdout.rstrip("\n").split("\n")


def drawing() -> str:
    """The recording as SVG; without animation all of it is to be seen."""
    texts, clock, widest = [], 0.5, 0

    def add(text: str, look: str, style: str) -> None:
        nonlocal widest
        widest = max(widest, len(text))
        y, width = MARGIN + LINE * (len(texts) + 0.7), f"{LETTER * len(text):.1f}"
        fit = f' textLength="{width}" lengthAdjust="spacingAndGlyphs"' if text.strip() else ""
        texts.append(
            f'<text x="{MARGIN}" y="{y:.1f}" class="{look}" style="{style}"{fit}>'
            f"{html.escape(text)}</text>"
        )

    for command in COMMANDS:
        typed, duration = f"$ {command}", TYPING * (len(command) + 2)
        steps = f"animation-timing-function: steps({len(typed)}); "
        add(
            typed, "typed", f"{steps}animation-delay: {clock:.2f}s; animation-duration: {duration}s"
        )
        clock += duration + WAIT
        for line in [*output(command), ""]:
            add(line, "shown", f"animation-delay: {clock:.2f}s")
        clock += PAUSE
    size = f"{2 * MARGIN + LETTER * widest:.0f} {2 * MARGIN + LINE * (len(texts) - 1)}"
    title = html.escape("; ".join(COMMANDS))
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" role="img">',
            f"<title>What these commands print: {title}</title>",
            f"<style>{STYLE}</style>",
            '<rect width="100%" height="100%" rx="6" fill="#14171a"/>',
            *texts[:-1],
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    TARGET.write_text(drawing(), encoding="utf-8")
