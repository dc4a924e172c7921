"""Evaluation of PySpark data frames of any size, with the numbers of `irbounds.evaluate`.

Needs the extra ``spark`` (``pip install "irbounds[spark]"``), and irbounds on the machines that run
the tasks.
"""

from irbounds.spark.evaluation import SparkEvaluation as SparkEvaluation
from irbounds.spark.evaluation import evaluate as evaluate
from irbounds.spark.evaluation import input_errors as input_errors

__all__ = ["SparkEvaluation", "evaluate", "input_errors"]
