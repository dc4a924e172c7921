"""Pages as a parser or a browser sees them."""

import os
import shutil
import subprocess

import html5lib
import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
)
DARK = ("--force-dark-mode", "--blink-settings=preferredColorScheme=0")


class Page:
    """A page that a strict parser of HTML5 accepts."""

    def __init__(self, text):
        self.text = text
        self.root = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(text)

    def elements(self, **attributes):
        """Those with these attributes; `_` in a name is `-`."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.root.iter()
            if all(element.get(name) == value for name, value in wanted.items())
        ]

    def one(self, **attributes):
        [element] = self.elements(**attributes)
        return element

    def tags(self):
        return {str(element.tag).rpartition("}")[2] for element in self.root.iter()}


def numbers(element):
    """The numbers that an element carries, all their digits."""
    return [float(data.get("value")) for data in element.iter("data")]


def words(element):
    return " ".join("".join(element.itertext()).split())


def browse(page, folder, *options):
    """The output of a headless browser with these options for a page: (stdout, stderr)."""
    if BROWSER is None:
        pytest.skip("needs chromium")
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    # a sanitizer is not for it
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(
        [BROWSER, *QUIET, f"--user-data-dir={folder / 'profile'}", *options, path.as_uri()],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=clean,
    )
    return done.stdout, done.stderr
