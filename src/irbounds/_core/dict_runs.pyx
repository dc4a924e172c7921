"""Runs that are dicts of text and numbers, evaluated where they lie: no id is copied or hashed
anew, and the values come back as dicts."""
cimport cython
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.math cimport log
from libc.stdint cimport int64_t

import numpy as np

from irbounds._core.doc_rows cimport DocRows
from irbounds._core.measures cimport RANKING_NEEDS_NAMES, MeasureKernel, ranked_query
from irbounds._core.signals cimport heed_signals, raise_if_stopped

from irbounds._core.doc_index import append_query_dict, as_text
from irbounds._core.doc_rows import BadRow, id_as_bytes

cdef extern from "Python.h":
    bint PyFloat_Check(PyObject *value)
    bint PyLong_CheckExact(PyObject *value)
    bint PyUnicode_CheckExact(PyObject *value)
    double PyFloat_AsDouble(PyObject *value) except? -1
    double PyLong_AsDouble(PyObject *value) except? -1
    PyObject *PyDict_GetItemWithError(PyObject *dictionary, PyObject *key) except? NULL


cdef enum:
    LONG = 1 << 14  # documents from which a query lets other threads work
    PIECE = 1 << 16  # documents between looks for signals
    QUERY = 8  # documents whose reading takes as long as what every query costs


cdef class DictRuns:
    """Judgments and measures for runs that are {query: {doc_id: score}}.

    Scores are rounded to 32-bit floats.  An object belongs to one call at a time.

    judged: {query: (number, {doc_id: grade})}, all ids plain text; level: the levels of each query,
    as (start, level, count); names: those of the output, each with the number of its measure (-1:
    its value is 0) and whether its logarithm is shown, not below that of `least`.
    """
    cdef MeasureKernel kernel
    cdef dict judged, template
    cdef bint judged_only
    cdef int64_t[::1] level_start, level_count
    cdef double[::1] level, value, score, grade
    cdef list names
    cdef int64_t[::1] source
    cdef double least
    cdef DocRows rows

    def __init__(self, MeasureKernel kernel, dict judged, bint judged_only, levels, list names,
                 double least):
        self.kernel, self.judged, self.judged_only = kernel, judged, judged_only
        self.level_start, self.level, self.level_count = levels
        self.value = np.zeros(max(1, kernel.task.n_measures))
        self.names = [name for name, _, _ in names]
        self.template = dict.fromkeys(self.names, 0.0)
        self.source = np.array([2 * source + is_log for _, source, is_log in names], np.int64)
        self.least = least
        self.rows = DocRows()
        self.score, self.grade = np.empty(64), np.empty(64)

    def evaluate(self, dict run):
        """{query: {name: value}} for the queries of the run that are judged."""
        cdef dict found = {}
        cdef int64_t n_read = 0
        for query, documents in run.items():
            known = self.judged.get(query if type(query) is str else as_text(id_as_bytes(query)))
            if known is None:
                continue
            if type(documents) is not dict:
                documents = (dict(documents) if isinstance(documents, dict)
                             else self.plain(query, documents))
            n_read += QUERY + self.evaluate_query(query, known[0], documents, known[1])
            found[query] = self.output()
            if n_read > PIECE:
                heed_signals()
                n_read = 0
        return found

    cdef int64_t evaluate_query(self, query, int64_t number, dict documents,
                                dict grades) except -1:
        cdef ranked_query ranked
        cdef int64_t bad, first = self.level_start[number]
        ranked.n_rows = self.read(documents, grades)
        if ranked.n_rows < 0:
            documents = self.plain(query, documents)
            ranked.n_rows = self.read(documents, grades)
        ranked.score, ranked.grade, ranked.times = &self.score[0], &self.grade[0], NULL
        ranked.names.start = ranked.names.end = NULL
        ranked.names.ids = NULL
        ranked.judged.n_levels = self.level_start[number + 1] - first
        ranked.judged.level = &self.level[0] + first
        ranked.judged.count = &self.level_count[0] + first
        ranked.collection_size = 0
        bad = self.measure(&ranked)
        if bad == RANKING_NEEDS_NAMES:
            self.read_names(documents, grades, ranked.n_rows)
            ranked.names.start, ranked.names.end = self.rows.ends, self.rows.c.id_end
            ranked.names.ids = self.rows.c.ids
            bad = self.measure(&ranked)
        raise_if_stopped(&self.kernel.watch)
        if bad >= 0:
            doc_id = next(doc for doc, score in documents.items() if score != score)
            raise BadRow(f"the score of document {doc_id!r} is nan (query {query!r})")
        return ranked.n_rows

    cdef int64_t measure(self, const ranked_query *ranked) noexcept:
        cdef int64_t bad
        if ranked.n_rows < LONG:
            return self.kernel.evaluate(ranked, &self.value[0], NULL, NULL)
        with nogil:
            bad = self.kernel.evaluate(ranked, &self.value[0], NULL, NULL)
        return bad

    cdef int64_t read(self, dict documents, dict grades) except -2:
        """Read scores and grades.  Returns how many, or -1 where a key is no plain text or a value
        no plain number."""
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        cdef PyObject *found
        cdef Py_ssize_t position = 0
        cdef int64_t n = 0, size = len(documents)
        cdef double number, grade
        self.reserve(size)
        with cython.critical_section(documents):
            while PyDict_Next(documents, &position, &key, &value):
                if n == size:
                    raise BadRow("the dict was changed while it was read")
                if not PyUnicode_CheckExact(key):
                    return -1
                if PyFloat_Check(value):
                    number = PyFloat_AsDouble(value)
                elif PyLong_CheckExact(value):
                    try:
                        number = PyLong_AsDouble(value)
                    except OverflowError:
                        return -1
                else:
                    return -1
                found = PyDict_GetItemWithError(<PyObject *> grades, key)
                grade = PyFloat_AsDouble(found) if found != NULL else -1.0
                if self.judged_only and not grade >= 0:
                    continue
                self.score[n], self.grade[n] = <double> <float> number, grade
                n += 1
        return n

    cdef dict plain(self, query, documents):
        """The same documents with ids as text and scores as floats."""
        self.rows.clear()
        append_query_dict(self.rows, id_as_bytes(query), documents)
        names = self.rows.doc_ids(0, len(self.rows))
        found = dict(zip(names, self.rows.values(0, len(self.rows)), strict=True))
        if len(found) < len(names):
            twice = next(name for number, name in enumerate(names) if name in names[:number])
            raise BadRow(f"duplicate document {twice!r} for query {query!r}")
        return found

    cdef int read_names(self, dict documents, dict grades, int64_t n) except -1:
        self.rows.clear()
        for doc_id in documents:
            if not self.judged_only or grades.get(doc_id, -1.0) >= 0:
                self.rows.append_item(doc_id, 0.0)
        if self.rows.c.n_rows != n:
            raise BadRow("the dict was changed while it was read")
        return 0

    cdef int reserve(self, int64_t n) except -1:
        if n > self.score.shape[0]:
            self.score, self.grade = np.empty(2 * n), np.empty(2 * n)
        self.kernel.reserve(self.score.shape[0])
        return 0

    cdef dict output(self):
        cdef Py_ssize_t i
        cdef int64_t source
        cdef double value
        cdef dict found = self.template.copy()
        for i in range(len(self.names)):
            source = self.source[i]
            if source < 0:
                continue
            value = self.value[source >> 1]
            if source & 1:
                value = log(max(value, self.least))
            found[self.names[i]] = value
        return found
