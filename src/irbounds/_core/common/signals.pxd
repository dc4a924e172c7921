"""Long work looks for signals, so that Ctrl-C stops it: between pieces, or from inside a kernel
through its watch."""
from libc.stdint cimport int64_t

cdef extern from "Python.h":
    int PyErr_CheckSignals()

cdef extern from "numeric/watch.h" nogil:
    ctypedef struct work_watch:
        int (*asks_to_stop)() noexcept nogil
        int64_t steps
        int is_stopped

    int watch_stops(work_watch *watch, int64_t steps)

cdef inline int heed_signals() except -1:
    """Run the handlers of signals that came; what they raise goes on from here."""
    return -1 if PyErr_CheckSignals() != 0 else 0

cdef inline int has_signal() noexcept nogil:
    with gil:
        return PyErr_CheckSignals()

cdef inline work_watch new_watch() noexcept nogil:
    cdef work_watch watch
    watch.asks_to_stop = has_signal
    watch.steps = 0
    watch.is_stopped = False
    return watch

cdef inline int raise_if_stopped(const work_watch *watch) except -1:
    """Where the watch stopped the work, an exception is set already: let it be seen."""
    return -1 if watch.is_stopped else 0
