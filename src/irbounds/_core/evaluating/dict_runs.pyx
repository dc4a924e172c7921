"""Runs that are dicts of text and numbers, evaluated where they lie: no id is copied or hashed
anew, and the values come back as dicts.

The file is longer than 400 lines because batches, orders and names share their buffers, and
functions that are called for each document must be in one module to be inlined.
"""
cimport cython
from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

import numpy as np

from irbounds._core.documents.doc_rows cimport DocRows
from irbounds._core.common.levels cimport grade_levels
from irbounds._core.evaluating.measures cimport (
    CHOOSE_DOC_ID,
    CHOOSE_GIVEN,
    RANKING_NEEDS_NAMES,
    RANKING_TOO_MANY_ORDERS,
    TIE_MEAN,
    MeasureKernel,
    measure_kernel,
    measure_memory,
    measure as task_measure,
    ranked_query,
    tie_end,
)
from irbounds._core.common.signals cimport heed_signals, raise_if_stopped
from irbounds._core.common.single_order cimport (
    doc_name,
    single_memory,
    single_name,
    single_order_marks,
    single_order_names,
    single_order_row,
    single_order_scores,
    single_tie,
)
from irbounds._core.reading.text_tables cimport (
    PyErr_Clear,
    PyUnicode_AsUTF8AndSize,
    OTHER_TEXT,
    TextTables,
    ask_memory,
    hash_of,
    is_entry_of,
    likely_entry,
    soon_read,
    text_entry,
    text_table,
)
from irbounds._core.documents.value_dicts cimport ValueDicts

from irbounds._core.documents.doc_index import append_query_dict
from irbounds._core.documents.doc_rows import BadRow, id_as_bytes, id_as_text

cdef extern from "Python.h":
    bint PyDict_CheckExact(PyObject *value)
    int PyDict_SetItem(dict values, PyObject *name, PyObject *value) except -1
    void Py_INCREF(PyObject *value) noexcept
    void Py_DECREF(PyObject *value) noexcept
    bint PyFloat_Check(PyObject *value)
    bint PyLong_CheckExact(PyObject *value)
    bint PyUnicode_CheckExact(PyObject *value)
    double PyFloat_AsDouble(PyObject *value) noexcept
    double PyLong_AsDouble(PyObject *value) noexcept
    PyObject *PyErr_Occurred() noexcept

cdef extern from "ties/measures.h" nogil:
    ctypedef struct weak_order:
        int64_t n_docs
        int64_t n_ranks
        const int64_t *before
        const int64_t *size
        const int64_t *end
        const double *grade

    ctypedef struct measure_steps:
        double *known_ideal

    ctypedef struct measure_input:
        const weak_order *order
        const grade_levels *judged
        double collection_size
        const measure_memory *memory
        measure_steps *steps
        tie_end end

    void measure_steps_begin(measure_steps *steps)
    double measure_value(const task_measure *m, const measure_input *input)

cdef extern from "ordering/few_order.h" nogil:
    enum few_order_kind:
        FEW_STRICT, FEW_TIED, FEW_TOO_MANY, FEW_NAN, FEW_DENSE

    ctypedef struct few_marks:
        int64_t n_tied
        int32_t *tied

    few_order_kind few_order_scores(const double *score, const double *grade, int64_t n,
                                    double mark_level, bint has_names, few_marks *marks)
    int64_t few_order_dense(const double *score, const double *grade, int64_t n, double mark_level,
                            const doc_name *names, int64_t *before, double *mark_grade)
    void few_order_ties(const doc_name *names, few_marks *marks)
    int64_t few_order_fill(const double *grade, const few_marks *marks, int64_t *before,
                           double *mark_grade)

cdef extern from "ties/strict_order.h" nogil:
    ctypedef struct strict_order:
        int64_t n_marks

    ctypedef double strict_value(const task_measure *m, strict_order *order) noexcept

    strict_value *strict_value_of(const measure_kernel *kernel)
    void strict_order_begin(const measure_input *measured, strict_order *order)

cdef extern from *:
    """
    #ifdef Py_GIL_DISABLED  /* another thread may take the item out of its dict */
    #define CAN_BORROW 0
    #define hold_item(p) Py_INCREF(p)
    #define release_item(p) Py_DECREF(p)
    #else
    #define CAN_BORROW 1
    #define hold_item(p) soon_read(p)
    #define release_item(p) ((void)(p))
    #endif
    #if defined(Py_GIL_DISABLED) || defined(PYPY_VERSION) || defined(GRAALVM_PYTHON)
    #define soon_read_items(dict) ((void)(dict))
    #else
    /* The items of a dict are where its fifth word points to, in CPython up to 3.14.  All versions
     * have so many words; where this one says something else, nothing is gained. */
    static inline void soon_read_items(PyObject *dict)
    {
        const char *items = ((const char *const *)(const void *)dict)[4];
        soon_read(items);
        soon_read(items + 64);
        soon_read(items + 128);
        soon_read(items + 192);
    }
    #endif
    """
    bint CAN_BORROW
    void soon_read_items(PyObject *dict) noexcept
    void hold_item(PyObject *p) noexcept
    void release_item(PyObject *p) noexcept


cdef enum:
    MOST_QUERIES = 32  # of a batch: its measuring hides the wait for the memory of the next output
    MOST_DOCS = 1 << 10  # of a batch of several queries; and of a piece of a longer query
    MOST_TIES = 1 << 9
    LONG = 1 << 14  # documents from which a query lets other threads work
    TEXT_BEGINS = 40  # bytes from an object of plain text on: 40 or 48 in CPython
    SMALL = 31  # the highest number of a slot in tables that are asked for as a whole
    NEEDED = -1  # the end of an id that is still to be read
    LATER = -1  # the number of marks where the order is still to be made

CHANGED = "the dict was changed while it was read"


cdef struct document:
    PyObject *key
    PyObject *value
    uint64_t hash
    const text_entry *entry  # of this key, once its grade is known; or NULL


cdef inline bint read_name(const document *item, doc_name *name) noexcept:
    """The bytes of an id; whether it has some: bytes of a file may be no text."""
    cdef Py_ssize_t size = 0
    if item.entry != NULL and item.entry.size != OTHER_TEXT:
        name.text, name.size = item.entry.text, item.entry.size
        return True
    name.text = PyUnicode_AsUTF8AndSize(item.key, &size)
    name.size = size
    if name.text == NULL:
        PyErr_Clear()
        return False
    return True


cdef inline bint read_number(PyObject *value, double *number) noexcept:
    """A plain number as a 32-bit float; whether it is one."""
    cdef double read
    if PyFloat_Check(value):
        number[0] = <double> <float> PyFloat_AsDouble(value)
        return True
    if not PyLong_CheckExact(value):
        return False
    read = PyLong_AsDouble(value)
    number[0] = <double> <float> read
    if read == -1.0 and PyErr_Occurred():
        PyErr_Clear()
        return False
    return True


cdef struct query_rows:
    PyObject *query  # owned, and its dict
    PyObject *documents
    int64_t number  # of the judged query
    int64_t n_items, past_items
    int64_t start, stop  # rows
    int64_t n_marks  # of a query that is ordered, whose marks begin at row `start`; or LATER


cdef struct query_output:  # both are owned
    PyObject *query
    PyObject *values


@cython.final  # so that its functions can be inlined
cdef class DictRuns:
    """Judgments and measures for runs that are {query: {doc_id: score}}.

    Scores are rounded to 32-bit floats.  An object belongs to one call at a time.

    numbers, grades: the number of each judged query, and a table of grades for each; levels: those
    of each query, as (start, level, count); names: those of the output, each with the number of its
    measure (-1: its value is 0) and whether its logarithm is shown, not below that of `least`.
    """
    cdef MeasureKernel kernel
    cdef TextTables numbers, grades
    cdef ValueDicts dicts
    cdef bint judged_only, orders_here, splits_ties
    cdef int64_t ahead  # queries to look at for the next batch
    cdef int64_t[::1] level_start, level_count, name_start, name_end
    cdef double[::1] level, score, grade
    cdef double[:, ::1] values
    cdef double[:, ::1] ideals  # of each judged query, by the column of a measure that has one
    cdef int64_t[::1] ideal_column
    cdef strict_value **strict_values  # of the measures, NULL: measure_value
    cdef DocRows rows
    cdef query_output *outputs
    cdef int64_t n_outputs, max_outputs
    cdef int64_t n_held, n_batch  # queries that are owned, and the first ones, to be evaluated
    cdef query_rows batch[MOST_QUERIES]
    cdef document items[MOST_DOCS]
    cdef int64_t before[MOST_DOCS]  # each mark of a query that is ordered
    cdef double mark_grade[MOST_DOCS]
    cdef int64_t one[MOST_DOCS]
    cdef int64_t counted[MOST_DOCS]
    cdef doc_name names[MOST_DOCS]  # of documents that tie
    cdef few_marks few
    cdef single_memory single
    cdef uint64_t key[MOST_DOCS]
    cdef uint64_t key_scratch[MOST_DOCS]
    cdef int32_t bucket[MOST_DOCS + 1]
    cdef int32_t place[MOST_DOCS + 1]
    cdef single_tie ties[MOST_TIES]
    cdef single_name name_order[MOST_DOCS]
    cdef single_name name_scratch[MOST_DOCS]
    cdef strict_order strict

    def __dealloc__(self):
        free(self.strict_values)

    def __init__(self, MeasureKernel kernel, TextTables numbers, TextTables grades,
                 bint judged_only, levels, list names, double least):
        self.kernel, self.judged_only = kernel, judged_only
        self.numbers, self.grades = numbers, grades
        self.level_start, self.level, self.level_count = levels
        self.values = np.zeros((MOST_QUERIES, max(1, kernel.task.n_measures)))
        self.dicts = ValueDicts(names, least)
        self.ahead = MOST_QUERIES
        column = np.full(max(1, kernel.task.n_measures), -1)
        for k in range(kernel.task.n_measures):
            if kernel.measures[k].kernel.name == b"nDCG":
                column[k] = column.max() + 1
        self.ideal_column = column
        free(self.strict_values)
        self.strict_values = <strict_value **> calloc(len(column), sizeof(void *))
        if self.strict_values == NULL:
            raise MemoryError
        for k in range(kernel.task.n_measures):
            self.strict_values[k] = strict_value_of(kernel.task.measures[k].kernel)
        self.ideals = np.full((len(self.level_start) - 1, column.max() + 1), -1.0)
        self.orders_here = not kernel.task.bounds
        self.splits_ties = kernel.task.choice in (CHOOSE_DOC_ID, CHOOSE_GIVEN)
        cdef int64_t i
        for i in range(MOST_DOCS):
            self.one[i], self.counted[i] = 1, i + 1
        self.single.key, self.single.key_scratch = self.key, self.key_scratch
        self.single.bucket, self.single.place = self.bucket, self.place
        self.single.ties = self.ties
        self.single.names, self.single.name_scratch = self.name_order, self.name_scratch
        self.rows = DocRows()
        self.score, self.grade = np.empty(MOST_DOCS), np.empty(MOST_DOCS)
        self.name_start, self.name_end = np.empty(0, np.int64), np.empty(0, np.int64)

    def evaluate(self, dict run):
        """{query: {name: value}} for the queries of the run that are judged."""
        cdef dict found = {}
        cdef int64_t i
        cdef Py_ssize_t position = 0
        try:
            while self.choose(run, &position):
                self.evaluate_batch(run, position)
                heed_signals()
            for i in range(self.n_outputs):  # at once, while nothing else is in the caches
                PyDict_SetItem(found, self.outputs[i].query, self.outputs[i].values)
        finally:
            self.let_queries_go()
            self.let_outputs_go()
        return found

    cdef int evaluate_batch(self, dict run, Py_ssize_t position) except -1:
        """The values of the queries that are chosen."""
        cdef int64_t i
        cdef query_rows *query
        self.reserve()
        while not self.read(run, position):
            for i in range(self.n_batch):
                query = &self.batch[i]
                self.hold(i, self.plain(<object> query.query, <object> query.documents))
            self.reserve()
        self.kernel.lend_memory()  # again with the watch
        for i in range(self.n_batch):
            self.measure(i)
        self.reserve_outputs(self.n_outputs + self.n_batch)
        for i in range(self.n_batch):
            values = self.dicts.of(&self.values[i, 0])
            Py_INCREF(self.batch[i].query)
            Py_INCREF(<PyObject *> values)
            self.outputs[self.n_outputs].query = self.batch[i].query
            self.outputs[self.n_outputs].values = <PyObject *> values
            self.n_outputs += 1
        return 0

    cdef int reserve_outputs(self, int64_t n) except -1:
        cdef query_output *larger
        if n <= self.max_outputs:
            return 0
        n = max(2 * n, 64)
        larger = <query_output *> realloc(self.outputs, n * sizeof(query_output))
        if larger == NULL:
            raise MemoryError(f"not enough memory for {n} queries")
        self.outputs, self.max_outputs = larger, n
        return 0

    cdef void let_outputs_go(self) noexcept:
        cdef int64_t i
        for i in range(self.n_outputs):
            Py_DECREF(self.outputs[i].query)
            Py_DECREF(self.outputs[i].values)
        free(self.outputs)
        self.outputs = NULL
        self.n_outputs = self.max_outputs = 0

    cdef bint choose(self, dict run, Py_ssize_t *position) except -1:
        """The next judged queries to read at once, if any, and their dicts: one query, then others
        as long as they are short.  Whether the run goes on."""
        cdef Py_ssize_t after[MOST_QUERIES]
        cdef int64_t i, k, number, n_more, n_docs = 0
        cdef const text_table *table
        cdef query_rows *query
        self.let_queries_go()
        self.hold_queries(run, position, after)
        self.ask_queries()
        for i in range(self.n_held):
            query = &self.batch[i]
            number = self.number_of(<object> query.query, &self.items[i])
            if number < 0:
                continue
            if not PyDict_CheckExact(query.documents):
                documents = <object> query.documents
                self.hold(i, dict(documents) if isinstance(documents, dict)
                          else self.plain(<object> query.query, documents))
            n_more = len(<dict> query.documents)
            if self.n_batch > 0 and n_docs + n_more > MOST_DOCS:
                position[0] = after[i - 1]
                break
            n_docs += n_more
            query.number = number
            soon_read(&self.grades.tables[number])
            self.batch[self.n_batch], self.batch[i] = self.batch[i], self.batch[self.n_batch]
            self.n_batch += 1
        for i in range(self.n_batch):
            table = &self.grades.tables[self.batch[i].number]
            if table.mask <= SMALL:
                for k in range(0, 6):
                    soon_read(table.tags + 64 * k)
        self.ahead = min(MOST_QUERIES, 2 * self.n_batch + 2)
        return self.n_held > 0

    cdef void hold_queries(self, dict run, Py_ssize_t *position, Py_ssize_t *after) noexcept:
        """Own the next queries, and note where each ends."""
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        cdef int64_t n = 0
        with cython.critical_section(run):
            while n < self.ahead and PyDict_Next(run, position, &key, &value):
                Py_INCREF(key)
                Py_INCREF(value)
                soon_read(value)
                self.batch[n].query, self.batch[n].documents = key, value
                after[n] = position[0]
                n += 1
        self.n_held, self.n_batch = n, 0

    cdef int hold(self, int64_t i, dict documents) except -1:
        """Put another dict in the place of a query's."""
        cdef PyObject *other = self.batch[i].documents
        Py_INCREF(<PyObject *> documents)
        self.batch[i].documents = <PyObject *> documents
        Py_DECREF(other)
        return 0

    cdef void let_queries_go(self) noexcept:
        cdef int64_t i, n = self.n_held
        self.n_held = self.n_batch = 0
        for i in range(n):
            Py_DECREF(self.batch[i].query)
            Py_DECREF(self.batch[i].documents)

    cdef void ask_queries(self) noexcept:
        """Say which queries will be looked up, and find the entries that they probably have."""
        cdef int64_t i
        cdef PyObject *query
        cdef const text_table *table = &self.numbers.tables[0]
        for i in range(self.n_held):
            query = self.batch[i].query
            if PyUnicode_CheckExact(query):
                self.items[i].hash = hash_of(query)
                ask_memory(table, self.items[i].hash)
        for i in range(self.n_held):
            self.items[i].entry = NULL
            if PyUnicode_CheckExact(self.batch[i].query):
                self.items[i].entry = likely_entry(table, self.items[i].hash)
                soon_read(self.items[i].entry)

    cdef int64_t number_of(self, query, const document *asked) except -2:
        """The number of a query; -1 where it is not judged."""
        if type(query) is str:
            if asked.entry == NULL:
                return -1
            if is_entry_of(asked.entry, <PyObject *> query):
                return <int64_t> asked.entry.value
        text = id_as_text(query)
        cdef const text_entry *entry = self.numbers.find(
            0, <PyObject *> text, hash_of(<PyObject *> text))
        return -1 if entry == NULL else <int64_t> entry.value

    cdef int reserve(self) except -1:
        """Memory for the documents of a batch, counted anew: a dict chosen before another may have
        grown, as the methods of a subclass of dict, or another thread, may change it."""
        cdef int64_t n_docs = 0
        cdef int64_t i
        for i in range(self.n_batch):
            self.batch[i].n_items = len(<dict> self.batch[i].documents)
            n_docs += self.batch[i].n_items
        if n_docs > MOST_DOCS and self.n_batch > 1:
            raise BadRow(CHANGED)
        if n_docs > self.score.shape[0]:
            self.score, self.grade = np.empty(2 * n_docs), np.empty(2 * n_docs)
        self.kernel.reserve(n_docs)
        self.kernel.lend_memory()
        return 0

    cdef bint read(self, dict run, Py_ssize_t position_after) noexcept:
        """Read scores and grades; whether all keys are plain text and all values plain numbers.

        Many items are collected, and asked of memory, before one of them is used; the dicts of the
        next queries are asked for meanwhile.
        """
        cdef int64_t i, n = self.n_batch, past = 0, at = 0, n_rows = 0
        cdef Py_ssize_t position
        cdef query_rows *query
        cdef PyObject *next[MOST_QUERIES]
        cdef int64_t n_next = self.peek(run, position_after, next)
        for i in range(n):
            position = 0
            past = self.collect(<dict> self.batch[i].documents, &position, past,
                                self.batch[i].n_items)
            self.batch[i].past_items = past
        for i in range(n):
            if not self.hash_items(self.batch[i].number, at, self.batch[i].past_items):
                self.let_go(0, past)
                return False
            at = self.batch[i].past_items
        at = 0
        for i in range(n):
            self.find_items(self.batch[i].number, at, self.batch[i].past_items)
            at = self.batch[i].past_items
        at = 0
        for i in range(n):
            query = &self.batch[i]
            query.start = query.stop = n_rows
            if not self.take(query, at, query.past_items):
                self.let_go(query.past_items, past)
                return False
            if past < MOST_DOCS:  # none of its documents is missing
                self.order(query, self.items + at)
            self.let_go(at, query.past_items)
            n_rows, at = query.stop, query.past_items
            if i < n_next and PyDict_CheckExact(next[i]):
                soon_read_items(next[i])
        while past == MOST_DOCS and n == 1:
            past = self.collect(<dict> query.documents, &position, 0, MOST_DOCS)
            if not self.hash_items(query.number, 0, past):
                self.let_go(0, past)
                return False
            self.find_items(query.number, 0, past)
            if not self.take(query, 0, past):
                return False
            self.let_go(0, past)
        return True

    cdef int64_t peek(self, dict run, Py_ssize_t position, PyObject **next) noexcept:
        """The next dicts of a run, borrowed: until they are used no code runs but that of this
        class.  None where other threads could run."""
        cdef PyObject *key = NULL
        cdef int64_t n = 0
        while CAN_BORROW and n < self.ahead and PyDict_Next(run, &position, &key, &next[n]):
            soon_read(next[n])
            soon_read(key)
            n += 1
        return n

    cdef bint hash_items(self, int64_t number, int64_t start, int64_t past) noexcept:
        """Hash the keys of items; whether all are plain text."""
        cdef int64_t i
        cdef const text_table *table = &self.grades.tables[number]
        for i in range(start, past):
            if not PyUnicode_CheckExact(self.items[i].key):
                return False
            self.items[i].hash = hash_of(self.items[i].key)
            if table.mask <= SMALL:  # asked for already
                self.find_item(table, &self.items[i])
            else:
                ask_memory(table, self.items[i].hash)
        return True

    cdef void find_items(self, int64_t number, int64_t start, int64_t past) noexcept:
        """Find the entries that items probably have."""
        cdef int64_t i
        cdef const text_table *table = &self.grades.tables[number]
        for i in range(start, past if table.mask > SMALL else start):
            self.find_item(table, &self.items[i])

    cdef void find_item(self, const text_table *table, document *item) noexcept:
        item.entry = likely_entry(table, item.hash)
        if item.entry != NULL:
            soon_read(item.entry)
            soon_read(<char *> item.key + TEXT_BEGINS)

    cdef double grade_of(self, int64_t number, document *item) noexcept:
        """The grade of a document that has an entry, probably its own; -1: not judged."""
        if is_entry_of(item.entry, item.key):
            return item.entry.value
        item.entry = NULL
        return self.find_grade(number, item.key)

    cdef double find_grade(self, int64_t number, PyObject *key) noexcept:
        cdef const text_entry *entry = self.grades.find(number, key, hash_of(key))
        return -1.0 if entry == NULL else entry.value

    cdef int64_t collect(self, dict documents, Py_ssize_t *position, int64_t past,
                         int64_t most) noexcept:
        """Enter items of a dict from `past` on, `most` or as many as there is room for.

        They are borrowed: until they are used no code runs but that of this class.
        """
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        cdef int64_t end = min(past + most, <int64_t> MOST_DOCS)
        with cython.critical_section(documents):
            while past < end and PyDict_Next(documents, position, &key, &value):
                hold_item(key)
                hold_item(value)
                self.items[past].key, self.items[past].value = key, value
                past += 1
        return past

    cdef void let_go(self, int64_t start, int64_t past) noexcept:
        cdef int64_t i
        for i in range(start, past):
            release_item(self.items[i].key)
            release_item(self.items[i].value)

    cdef bint take(self, query_rows *query, int64_t start, int64_t past) noexcept:
        """Add the rows of items; whether all of them are plain."""
        cdef int64_t i, n = query.stop, at = start, room = self.score.shape[0]
        cdef double grade
        cdef bint is_plain = True
        cdef document *item
        cdef double *scores = &self.score[0]
        cdef double *grades = &self.grade[0]
        for i in range(start, past):
            item = &self.items[i]
            if n >= room or not read_number(item.value, &scores[n]):
                is_plain = False
                break
            grade = -1.0
            if item.entry != NULL:
                grade = self.grade_of(query.number, item)
            if self.judged_only and not grade >= 0:
                continue
            grades[n] = grade
            if self.judged_only:  # the items of rows come first
                self.items[i], self.items[at] = self.items[at], self.items[i]
                at += 1
            n += 1
        query.stop, query.n_marks = n, LATER
        if not is_plain:
            self.let_go(start, past)
        return is_plain

    cdef void order(self, query_rows *query, const document *items) noexcept:
        """Order a query of a batch while the keys of its rows are at hand.

        Left for later: a score is NaN, an id is bytes that are no text, or ties stay together.
        """
        cdef const double *score = &self.score[0] + query.start
        cdef const double *grade = &self.grade[0] + query.start
        cdef int64_t n = query.stop - query.start
        cdef few_order_kind kind
        if not self.orders_here:
            return
        cdef double mark_level = self.kernel.task.mark_level
        kind = few_order_scores(score, grade, n, mark_level,
                                self.kernel.task.choice == CHOOSE_DOC_ID, &self.few)
        if kind == FEW_DENSE:
            if self.read_all_names(items, n):
                query.n_marks = few_order_dense(score, grade, n, mark_level, self.names,
                                                self.before + query.start,
                                                self.mark_grade + query.start)
                return
            kind = few_order_scores(score, grade, n, mark_level, False, &self.few)
        if kind == FEW_TOO_MANY and self.splits_ties:
            self.order_all(query, items)
            return
        if kind == FEW_TIED and self.splits_ties and self.read_few_names(items):
            few_order_ties(NULL if self.kernel.task.choice == CHOOSE_GIVEN else self.names,
                           &self.few)
        elif kind != FEW_STRICT:
            return
        query.n_marks = few_order_fill(grade, &self.few, self.before + query.start,
                                       self.mark_grade + query.start)

    cdef bint read_all_names(self, const document *items, int64_t n) noexcept:
        cdef int64_t i
        for i in range(n):
            if not read_name(&items[i], &self.names[i]):
                return False
        return True

    cdef bint read_few_names(self, const document *items) noexcept:
        cdef int64_t i
        if self.kernel.task.choice == CHOOSE_GIVEN:
            return True
        for i in range(self.few.n_tied):
            if not read_name(&items[self.few.tied[i]], &self.names[i]):
                return False
        return True

    cdef void order_all(self, query_rows *query, const document *items) noexcept:
        """The same by sorting all documents."""
        cdef const double *score = &self.score[0] + query.start
        cdef const double *grade = &self.grade[0] + query.start
        cdef int64_t i, place, n = query.stop - query.start, n_names = 0
        cdef double mark_level = self.kernel.task.mark_level
        if not single_order_scores(score, grade, n, mark_level, &self.single):
            return
        if self.kernel.task.choice == CHOOSE_DOC_ID:
            for i in range(self.single.n_ties):
                for place in range(self.ties[i].start, self.ties[i].stop):
                    if not read_name(&items[single_order_row(&self.single, place)],
                                     &self.names[n_names]):
                        return
                    n_names += 1
            single_order_names(self.names, &self.single)
        query.n_marks = single_order_marks(grade, n, mark_level, &self.single,
                                           self.before + query.start,
                                           self.mark_grade + query.start)

    cdef void fill_query(self, ranked_query *ranked, const query_rows *query) noexcept:
        """Say all that the kernel needs of a query but its ids."""
        cdef int64_t first = self.level_start[query.number]
        ranked.judged.n_levels = self.level_start[query.number + 1] - first
        ranked.judged.level = &self.level[0] + first
        ranked.judged.count = &self.level_count[0] + first
        ranked.score = &self.score[0] + query.start
        ranked.grade = &self.grade[0] + query.start
        ranked.n_rows = query.stop - query.start
        ranked.times, ranked.collection_size = NULL, 0
        ranked.names.start = ranked.names.end = NULL
        ranked.names.ids = NULL

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

    cdef int measure(self, int64_t i) except -1:
        """Fill the values of query i of the batch."""
        cdef ranked_query ranked
        cdef int64_t bad
        self.fill_query(&ranked, &self.batch[i])
        if self.batch[i].n_marks != LATER:
            self.measure_ordered(&self.batch[i], &ranked.judged, &self.values[i, 0])
            return raise_if_stopped(&self.kernel.watch)
        self.kernel.reserve(ranked.n_rows)  # a dict may have grown since memory was made
        bad = self.rank(&ranked, i, False)
        if bad == RANKING_NEEDS_NAMES:
            self.read_names(<dict> self.batch[i].documents, self.batch[i].number, ranked.n_rows)
            ranked.names.start, ranked.names.end = &self.name_start[0], &self.name_end[0]
            ranked.names.ids = self.rows.c.ids
            bad = self.rank(&ranked, i, True)
        raise_if_stopped(&self.kernel.watch)
        if bad >= 0:
            documents = <object> self.batch[i].documents
            doc_id = next(doc for doc, score in documents.items() if score != score)
            query = <object> self.batch[i].query
            raise BadRow(f"the score of document {doc_id!r} is nan (query {query!r})")
        if bad == RANKING_TOO_MANY_ORDERS:
            query = <object> self.batch[i].query
            raise BadRow(f"{self.kernel.refusal().problem} (query {query!r})")
        return 0

    cdef void measure_ordered(self, const query_rows *query, const grade_levels *judged,
                              double *values) noexcept:
        """Fill the values of a query that is ordered."""
        cdef int64_t k
        cdef weak_order order
        cdef measure_input measured
        cdef measure_steps steps
        order.n_docs, order.n_ranks = query.stop - query.start, query.n_marks
        order.before, order.grade = self.before + query.start, self.mark_grade + query.start
        order.size, order.end = self.one, self.counted
        measured.order, measured.judged = &order, judged
        measure_steps_begin(&steps)
        measured.collection_size, measured.steps = 0, &steps
        measured.memory = &self.kernel.memory.measure
        measured.end = TIE_MEAN
        strict_order_begin(&measured, &self.strict)
        for k in range(self.kernel.task.n_measures):
            steps.known_ideal = NULL
            if self.ideal_column[k] >= 0:
                steps.known_ideal = &self.ideals[query.number, self.ideal_column[k]]
            if self.strict_values[k] != NULL:
                values[k] = self.strict_values[k](&self.kernel.task.measures[k], &self.strict)
            else:
                values[k] = measure_value(&self.kernel.task.measures[k], &measured)

    cdef int64_t rank(self, const ranked_query *ranked, int64_t i, bint goes_on) noexcept:
        """Measure the query, or go on where names were asked for."""
        cdef int64_t bad
        cdef double *values = &self.values[i, 0]
        if ranked.n_rows < LONG:
            return (self.kernel.resume(ranked, values, NULL, NULL) if goes_on
                    else self.kernel.evaluate(ranked, values, NULL, NULL))
        with nogil:
            bad = (self.kernel.resume(ranked, values, NULL, NULL) if goes_on
                   else self.kernel.evaluate(ranked, values, NULL, NULL))
        return bad

    cdef int read_names(self, dict documents, int64_t number, int64_t n) except -1:
        """Read the ids of a query's documents whose order the tie rule must know."""
        cdef int64_t i, row = 0, filled = 0
        cdef Py_ssize_t position = 0
        cdef PyObject *key = NULL
        cdef PyObject *value = NULL
        if n > self.name_start.shape[0]:
            self.name_start, self.name_end = np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)
        for i in range(n):
            self.name_start[i] = 0
            self.name_end[i] = 0 if self.kernel.memory.n_unnamed >= 0 else NEEDED
        for i in range(self.kernel.memory.n_unnamed):
            self.name_end[self.kernel.memory.order.pairs[i]] = NEEDED
        self.rows.clear()
        with cython.critical_section(documents):
            while PyDict_Next(documents, &position, &key, &value) and row < n:
                if self.judged_only and not self.find_grade(number, key) >= 0:
                    continue
                if self.name_end[row] == NEEDED:
                    self.name_start[row] = filled
                    filled = self.copy_name(<object> key, filled)
                    self.name_end[row] = filled
                row += 1
        if row != n:
            raise BadRow(CHANGED)
        return 0

    cdef int64_t copy_name(self, doc_id, int64_t filled) except -1:
        """Put a document's id behind the others; where it ends."""
        cdef Py_ssize_t size = 0
        cdef const char *text = PyUnicode_AsUTF8AndSize(<PyObject *> doc_id, &size)
        if text == NULL:  # bytes of a file that were no text
            PyErr_Clear()
            doc_id = id_as_bytes(doc_id)
            text, size = doc_id, len(doc_id)
        self.rows.reserve(0, filled + size)
        memcpy(self.rows.c.ids + filled, text, size)
        return filled + size
