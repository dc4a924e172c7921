"""The documentation's settings; `sphinx-build -W --keep-going docs build/docs` makes the pages."""

import sys
from pathlib import Path

import irbounds

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "irbounds"
author = "The irbounds developers"
release = version = irbounds.__version__
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "generated",
    "mathml",
    "pictures",
]
exclude_patterns = ["_generated/*.txt"]
templates_path = ["_templates"]

smartquotes_action = "qe"  # quotes and ellipses: two hyphens begin an option

# MyST
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"  # of a session, what is typed
copybutton_prompt_text = "$ "

# The reference, from docstrings
default_role = "py:obj"
add_module_names = False
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say more
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_xref_param_type = False

# Pages: nothing is fetched, neither by the build nor by the browser
html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"irbounds {version}"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_show_copyright = False
