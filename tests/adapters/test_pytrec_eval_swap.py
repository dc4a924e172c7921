"""The drop-in in the place of the module pytrec_eval, for libraries that import it."""

import subprocess
import sys
from decimal import Decimal

import numpy as np
import pytest
import pytrec_eval as peer

from irbounds.adapters import pytrec_eval as ours


def test_the_public_names_are_those_of_pytrec_eval():
    assert sorted(ours.__all__) == sorted(peer.__all__)
    assert isinstance(ours.__version__, str)
    for star in (ours, peer):
        found = {}
        exec(f"from {star.__name__} import *", found)
        assert set(found) - {"__builtins__"} == set(peer.__all__)
    for name, value in vars(peer).items():
        if getattr(value, "__module__", "") in ("pytrec_eval", "pytrec_eval_ext"):
            assert name.startswith("_") or hasattr(ours, name), name


SWAP = """
import sys
if {is_loaded}:  # both names of it are in use already
    import pytrec_eval, ir_measures
    from pytrec_eval import RelevanceEvaluator
from irbounds.adapters import pytrec_eval as ours
first = sys.modules.get("pytrec_eval")
ours.install()
ours.install()
import pytrec_eval as swapped, ir_measures
assert swapped is ours
if {is_loaded}:
    assert pytrec_eval is ours and RelevanceEvaluator is ours.RelevanceEvaluator
else:
    from pytrec_eval import *
provider = ir_measures.pytrec_eval
assert provider.is_available() and provider.pytrec_eval is ours
qrels, run = {{"q": {{"a": 1, "b": 0}}}}, {{"q": {{"a": 0.5, "b": 0.5}}}}
AP = ir_measures.AP
assert provider.calc_aggregate([AP], qrels, run) == {{AP: 0.5}}
assert ir_measures.calc_aggregate([AP], qrels, run) == {{AP: 0.5}}
assert ir_measures.parse_trec_measure("map") == [AP]
ours.uninstall()
assert sys.modules.get("pytrec_eval") is first
"""


@pytest.mark.parametrize("is_loaded", [True, False])
def test_libraries_that_import_pytrec_eval(is_loaded):
    """ir_measures drops a pytrec_eval without `__version__`, and asks another library instead."""
    code = SWAP.format(is_loaded=is_loaded)
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


@pytest.mark.parametrize("kind", [float, np.float32, Decimal])
def test_fractions_are_refused_as_there(kind):
    for module in (ours, peer):
        with pytest.raises(TypeError, match=r"nteger|whole number"):
            module.RelevanceEvaluator({"q": {"a": kind(0.5), "b": 1}}, {"map"})
    whole = ours.RelevanceEvaluator({"q": {"a": kind(2.0), "b": 1}}, {"map", "ndcg"})
    assert whole.evaluate({"q": {"a": 1.0}}) == ours.RelevanceEvaluator(
        {"q": {"a": 2, "b": 1}}, {"map", "ndcg"}
    ).evaluate({"q": {"a": 1.0}})
