"""Pages as a parser or a browser sees them."""

import os
import re
import shutil
import subprocess

import html5lib
import pytest

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--hide-scrollbars", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--enable-logging=stderr"),
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


def check_nothing_from_outside(page):
    """No page asks for anything from outside, and none runs scripts."""
    for element in page.root.iter():
        for name, value in element.attrib.items():
            name = str(name).rpartition("}")[2]
            assert not name.startswith("on"), (element.tag, name)
            assert name not in ("src", "srcset", "action", "background"), (element.tag, name)
            assert "href" not in name or value.startswith("#"), (element.tag, value)
            assert "url(" not in value.replace("url(#", ""), (element.tag, value)
    [style] = page.root.iter("style")
    assert not re.search(r"url\(|@import|expression", style.text)
    assert (
        not {"script", "link", "img", "iframe", "object", "embed", "base", "form", "foreignObject"}
        & page.tags()
    )
    assert "://" not in re.sub(r"<code id=\"command\">.*?</code>", "", page.text, flags=re.DOTALL)
    policy = page.one(http_equiv="Content-Security-Policy").get("content")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")


def check_pictures(page):
    """Every picture has a title; identifiers are unique."""
    ids = [element.get("id") for element in page.root.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    pictures = page.elements(role="img")
    assert pictures
    for picture in pictures:
        for name in picture.get("aria-labelledby").split():
            assert words(page.one(id=name))
        for element in picture.iter():
            for reference in re.findall(
                r"#([\w-]+)\)?", f"{element.get('href', '')} {element.get('clip-path', '')}"
            ):
                assert reference in ids
            assert "DejaVu" not in element.get("style", "")
            assert not re.search(r"#[0-9a-f]{6}", element.get("style", "")), element.get("style")


def check_tables(page):
    """Tables say what their cells are."""
    tables = list(page.root.iter("table"))
    assert tables
    for table in tables:
        width = len(table.findall("thead/tr/th"))
        assert all(th.get("scope") == "col" for th in table.findall("thead/tr/th"))
        for row in table.findall("tbody/tr"):
            assert row[0].tag == "th"
            assert sum(int(cell.get("colspan", 1)) for cell in row) == width
