"""The directive `picture`: code that draws, and below it what it drew.

The pictures of a page share one namespace, in which the page's code above the first picture has
run; the argument is the picture's text for who cannot see it.
"""

from __future__ import annotations

import contextlib
import re
import tempfile
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FOLDER = Path(__file__).resolve().parents[1] / "_generated" / "pictures"


class Picture(SphinxDirective):
    """Run the code, save the current figure as SVG, show both."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The code and the picture."""
        import matplotlib as mpl

        mpl.use("agg")
        mpl.rcParams.update({"svg.fonttype": "path", "svg.hashsalt": "irbounds"})
        import matplotlib.pyplot as plt

        source = "\n".join(self.content)
        if "picture" not in self.env.temp_data:
            self.env.temp_data["picture"] = {"scope": self._scope(), "count": 0}
        state: dict[str, Any] = self.env.temp_data["picture"]
        state["count"] += 1
        name = f"{self.env.docname.replace('/', '_')}_{state['count']}.svg"
        exec(compile(source, f"{self.env.docname}:{self.lineno}", "exec"), state["scope"])
        FOLDER.mkdir(parents=True, exist_ok=True)
        plt.gcf().savefig(FOLDER / name, metadata={"Date": None})
        plt.close("all")
        code = nodes.literal_block(source, source, language="python")
        return [
            code,
            nodes.image(
                uri=f"/_generated/pictures/{name}", alt=self.arguments[0], classes=["picture"]
            ),
        ]

    def _scope(self) -> dict[str, Any]:
        """The names that the code above this picture defines; its files go to a folder that is
        removed."""
        scope: dict[str, Any] = {}
        lines = Path(self.env.doc2path(self.env.docname)).read_text("utf-8").splitlines(True)
        above = "".join(lines[: self.lineno])
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for block in re.findall(r"^```python\n(.*?)^```", above, re.DOTALL | re.MULTILINE):
                if not block.startswith(">>>"):
                    exec(compile(block, self.env.docname, "exec"), scope)
        return scope


def plain_measures(app: Any, doctree: nodes.document) -> None:
    """P@10 is no address of mail: docutils takes it for one."""
    for node in list(doctree.findall(nodes.reference)):
        if node.get("refuri", "").startswith("mailto:"):
            node.replace_self(nodes.Text(node.astext()))


def setup(app: Any) -> dict[str, bool]:
    """Make the directive known."""
    app.connect("doctree-read", plain_measures)
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
