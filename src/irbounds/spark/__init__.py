"""Evaluation of PySpark data frames of any size, with the numbers of `irbounds.evaluate`.

Needs the extra ``spark`` (``pip install "irbounds[spark]"``), and irbounds on the machines that run
the tasks.
"""

from irbounds.spark.evaluation import evaluate as evaluate
from irbounds.spark.failures import input_errors as input_errors
from irbounds.spark.result import SparkEvaluation as SparkEvaluation

__all__ = ["SparkEvaluation", "evaluate", "input_errors"]
