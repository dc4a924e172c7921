"""Judgments of subtopics: rows of (query, subtopic, document, grade) as matrices of grades."""
import os
from collections import namedtuple

from cpython.object cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp

import numpy as np

from irbounds._core.documents.doc_rows import id_as_bytes, id_as_text

from irbounds._core.common.signals cimport heed_signals, new_watch, raise_if_stopped, work_watch
from irbounds._core.common.single_order cimport (
    doc_name,
    single_memory,
    single_name,
    single_order_names,
    single_tie,
)

cdef extern from "Python.h":
    PyObject *PyDict_GetItemWithError(dict numbers, name) except? NULL
    int64_t PyLong_AsLongLong(PyObject *number) except? -1
    int64_t PyLong_AsLongLongAndOverflow(object number, int *overflows) except? -1
    PyObject *PyTuple_GetItem(object row, Py_ssize_t place) except NULL
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *size) except NULL

cdef extern from "reading/doc_index.h" nogil:
    uint64_t doc_hash(const char *p, int64_t size, uint64_t secret)
    int64_t doc_index_size(int64_t n_rows)

cdef extern from "measures/novel_gains.h" nogil:
    ctypedef struct novel_memory:
        double *left
        double *now

    int64_t novel_gains(double *relevant, int64_t n_subtopics, int64_t n_docs, double alpha,
                        int64_t depth, const novel_memory *memory, double *gain, work_watch *watch)

cdef enum:
    MOST = 1 << 30

cdef uint64_t SECRET = int.from_bytes(os.urandom(8), "little")

FIELDS = type(namedtuple("_", "x").x)  # the type of a named tuple's fields


cdef struct judgment:
    int64_t query, subtopic, doc  # numbers: of the query, and of the others in it
    double grade


cdef class QueryNames:
    """The number of a query, and of its subtopics and documents as they came."""
    cdef int64_t number
    cdef readonly dict subtopics, docs

    def __init__(self, int64_t number):
        self.number, self.subtopics, self.docs = number, {}, {}


cdef inline int64_t number_of(dict numbers, name) except -1:
    """The number of a name; a new one gets the next number."""
    cdef PyObject *found = PyDict_GetItemWithError(numbers, name)
    if found != NULL:
        return PyLong_AsLongLong(found)
    numbers[name] = number = len(numbers)
    return number


cdef class SubtopicRows:
    """Judgments, one after the other.  `as_number` makes a finite number of a grade that is no
    small integer, or raises."""
    cdef dict queries  # QueryNames by name
    cdef object as_number
    # Rows of one query come together, and those of one document often.
    cdef object last_query, last_doc
    cdef QueryNames last, last_of_doc
    cdef int64_t last_number
    cdef judgment *rows
    cdef int64_t n_rows, max_rows

    def __cinit__(self, as_number):
        self.queries, self.as_number = {}, as_number
        self.rows, self.n_rows, self.max_rows = NULL, 0, 0

    def __dealloc__(self):
        free(self.rows)

    cdef int append(self, query, subtopic, doc, grade) except -1:
        cdef QueryNames names = self.last
        cdef judgment *row
        cdef int64_t whole
        cdef int overflows = 1
        if names is None or query is not self.last_query:
            names = self.last = self.names_of(id_as_text(query))
            self.last_query = query
        if self.n_rows == self.max_rows:
            self.reserve(2 * self.n_rows + 1024)
        row = &self.rows[self.n_rows]
        row.query = names.number
        row.subtopic = number_of(names.subtopics,
                                 id_as_text(subtopic))
        if doc is not self.last_doc or self.last is not self.last_of_doc:
            self.last_number = number_of(names.docs, id_as_text(doc))
            self.last_doc, self.last_of_doc = doc, names
        row.doc = self.last_number
        if type(grade) is int:
            whole = PyLong_AsLongLongAndOverflow(grade, &overflows)
        if overflows == 0 and -MOST < whole < MOST:
            row.grade = whole
        else:
            row.grade = self.as_number(grade)
        self.n_rows += 1
        if self.n_rows & 0xFFFF == 0:
            heed_signals()
        return 0

    cdef QueryNames names_of(self, str query):
        cdef PyObject *found = PyDict_GetItemWithError(self.queries, query)
        if found == NULL:
            self.queries[query] = QueryNames(len(self.queries))
        return self.queries[query]

    cdef int reserve(self, int64_t n) except -1:
        cdef judgment *larger = <judgment *> realloc(self.rows, n * sizeof(judgment))
        if larger == NULL:
            raise MemoryError(f"not enough memory for {n} judgments")
        self.rows, self.max_rows = larger, n
        return 0

    def append_rows(self, rows):
        """Rows of four values: query, subtopic, document and grade."""
        for query, subtopic, doc, grade in rows:
            self.append(query, subtopic, doc, grade)

    def append_tuples(self, rows, fields, get):
        """Rows whose attributes `fields` are these values; get(row) has them all.

        Named tuples are read by the places of their fields, which takes a quarter of the time.
        """
        cdef Py_ssize_t places[4]
        cdef bint has_places = False
        cdef Py_ssize_t i
        kind = None
        for row in rows:
            if type(row) is not kind:
                kind = type(row)
                found = places_of(kind, fields)
                has_places = found is not None
                if has_places:
                    for i in range(4):
                        places[i] = found[i]
            if has_places:
                self.append(<object> PyTuple_GetItem(row, places[0]),
                            <object> PyTuple_GetItem(row, places[1]),
                            <object> PyTuple_GetItem(row, places[2]),
                            <object> PyTuple_GetItem(row, places[3]))
            else:
                query, subtopic, doc, grade = get(row)
                self.append(query, subtopic, doc, grade)

    def matrices(self, order):
        """{query: (documents, names of subtopics, grades)}: a matrix, documents by falling id,
        subtopics by `order` of their names; minus infinity where there was no judgment.

        A document that was judged twice on a subtopic raises KeyError(query, document, subtopic).
        """
        cdef QueryNames names
        cdef int64_t i, n_docs = 0, n_subtopics = 0, n_cells = 0, number, at
        cdef int64_t n_queries = len(self.queries)
        cdef int64_t[::1] doc_start = np.zeros(n_queries + 1, np.int64)
        cdef int64_t[::1] subtopic_start = np.zeros(n_queries + 1, np.int64)
        cdef int64_t[::1] start = np.zeros(n_queries + 1, np.int64)
        cdef judgment *row
        for number, names in enumerate(self.queries.values()):
            n_docs += len(names.docs)
            n_subtopics += len(names.subtopics)
            n_cells += len(names.docs) * len(names.subtopics)
            doc_start[number + 1], subtopic_start[number + 1] = n_docs, n_subtopics
            start[number + 1] = n_cells
        places, columns = np.empty(n_docs, np.int64), np.empty(n_subtopics, np.int64)
        cells = np.full(n_cells, -INFINITY)
        cdef int64_t[::1] place = places, column = columns
        cdef double[::1] cell = cells
        found = {}
        for number, (query, names) in enumerate(self.queries.items()):
            ordered = falling(list(names.docs), place[doc_start[number]:doc_start[number + 1]])
            subtopics = sorted(names.subtopics, key=order)
            for i, name in enumerate(subtopics):
                column[subtopic_start[number] + <int64_t> names.subtopics[name]] = i
            grades = cells[start[number]:start[number + 1]].reshape(len(ordered), len(subtopics))
            found[query] = ordered, subtopics, grades
        for i in range(self.n_rows):
            row = &self.rows[i]
            number = row.query
            at = (start[number] + place[doc_start[number] + row.doc]
                  * (subtopic_start[number + 1] - subtopic_start[number])
                  + column[subtopic_start[number] + row.subtopic])
            if cell[at] > -INFINITY:
                query, names = list(self.queries.items())[number]
                raise KeyError(query, list(names.docs)[row.doc],
                               list(names.subtopics)[row.subtopic])
            cell[at] = row.grade
        return found


def places_of(kind, fields):
    """The places of fields in a class of named tuples; None where one is no such field."""
    own = [getattr(kind, name, None) for name in fields]
    if not issubclass(kind, tuple) or not all(type(field) is FIELDS for field in own):
        return None
    places = [field.__reduce__()[1][0] for field in own]
    return places if len(kind._fields) > max(places) else None


cdef list falling(list docs, int64_t[::1] place):
    """Documents by falling bytes of their ids, and the place of each."""
    cdef int64_t i, n = len(docs)
    cdef Py_ssize_t size = 0
    cdef single_memory memory
    cdef single_tie all_of_them
    cdef doc_name *names = <doc_name *> malloc(max(1, n) * sizeof(doc_name))
    cdef single_name *order = <single_name *> malloc(2 * max(1, n) * sizeof(single_name))
    cdef uint64_t *key = <uint64_t *> malloc(2 * max(1, n) * sizeof(uint64_t))
    try:
        if names == NULL or order == NULL or key == NULL:
            raise MemoryError(f"not enough memory for {n} documents")
        try:
            for i in range(n):
                names[i].text = PyUnicode_AsUTF8AndSize(docs[i], &size)
                names[i].size, key[i] = size, i
        except UnicodeEncodeError:  # bytes of a file that were no text
            numbers = sorted(range(n), key=[id_as_bytes(doc) for doc in docs].__getitem__,
                             reverse=True)
            for i in range(n):
                key[i] = numbers[i]
        else:
            memory.key, memory.key_scratch = key, key + n
            memory.names, memory.name_scratch = order, order + n
            memory.ties, memory.n_ties = &all_of_them, 1
            all_of_them.start, all_of_them.stop = 0, n
            single_order_names(names, &memory)
        for i in range(n):
            place[<int64_t> key[i]] = i
        return [docs[<int64_t> key[i]] for i in range(n)]
    finally:
        free(names)
        free(order)
        free(key)


def numbers_of_rows(const double[:, ::1] rows):
    """A number for each row of a matrix, the same for equal bytes, and the first row of each
    number."""
    cdef int64_t i, k, n_numbers = 0, n = rows.shape[0], size = rows.shape[1] * sizeof(double)
    cdef int64_t n_slots = doc_index_size(n)
    cdef uint64_t at
    cdef int64_t[::1] slot = np.full(n_slots, -1)
    cdef int64_t[::1] start = np.empty(n, np.int64)  # the first row of each number
    cdef list numbers = [], found = []
    for i in range(n):
        at = doc_hash(<const char *> &rows[i, 0], size, SECRET) & <uint64_t> (n_slots - 1)
        while slot[at] >= 0:
            k = slot[at]
            if memcmp(&rows[start[k], 0], &rows[i, 0], size) == 0:
                break
            at = (at + 1) & <uint64_t> (n_slots - 1)
        if slot[at] < 0:
            slot[at], start[n_numbers] = n_numbers, i
            numbers.append(float(n_numbers))
            n_numbers += 1
        found.append(numbers[slot[at]])
    return found, np.asarray(rows)[np.asarray(start)[:n_numbers]]


def ideal_gains(const double[:, ::1] grades, double rel, double alpha, int64_t depth):
    """Gains of the documents of a ranking that takes the best next one each time, as far as a
    depth.

    grades: documents by subtopics, the documents in the order in which equal ones are taken; those
    of `rel` or more are relevant.
    """
    cdef int64_t i, s, n, n_docs = grades.shape[0], n_subtopics = grades.shape[1]
    cdef novel_memory memory
    cdef work_watch watch = new_watch()
    depth = min(depth, n_docs)
    gains = np.empty(max(1, depth))
    cdef double[::1] gain = gains
    cdef double[::1] scratch = np.empty((n_docs + 1) * (n_subtopics + 1))
    cdef double *relevant = &scratch[0]
    memory.left = relevant + n_docs * n_subtopics
    memory.now = memory.left + n_subtopics
    with nogil:
        for s in range(n_subtopics):
            for i in range(n_docs):
                relevant[s * n_docs + i] = grades[i, s] >= rel
        n = novel_gains(relevant, n_subtopics, n_docs, alpha, depth, &memory, &gain[0], &watch)
    raise_if_stopped(&watch)
    return gains[:n]
