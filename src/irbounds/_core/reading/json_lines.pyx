"""Reads JSON lines, one query after the other."""
from irbounds._core.documents.doc_rows import BadRow


cdef class JsonLinesReader(TextReader):
    """The rows of a binary file.

    parse(line, names) -> (query id, document id, value, names) reads a line that is not plain:
    `names` are those of its members, a list that it may renew.
    """

    def __init__(self, file, str value_name, parse):
        cdef int i
        self.parse = parse
        self.name_bytes = []  # the first line finds them
        for i in range(3):
            self.names.name[i], self.names.size[i] = NULL, -1
        super().__init__(file, value_name)

    cdef int set_names(self, names) except -1:
        cdef bytes name
        cdef int i
        self.name_bytes = [text.encode("utf-8", "surrogateescape") for text in names]
        for i in range(3):
            name = self.name_bytes[i]
            self.names.name[i], self.names.size[i] = name, len(name)
        return 0

    cdef trec_status read(self, trec_rows *rows, const char *query, int64_t size) noexcept nogil:
        return json_read(&self.cursor, rows, &self.names, query, size)

    cdef bytes read_other(self, DocRows rows, bytes query):
        cdef bytes line = self.cursor.token[:self.cursor.token_size], name, document
        cdef int64_t end = self.cursor.token - self.cursor.text + self.cursor.token_size
        names = [text.decode("utf-8", "surrogateescape") for text in self.name_bytes]
        try:
            name, document, value, found = self.parse(line, names)
        except BadRow as error:
            raise BadRow(error.problem, self.cursor.line + 1) from None
        if found != names:
            self.set_names(found)
        if name == query:
            self.cursor.line += 1
            self.cursor.position = end + 1
            rows.append(document, len(document), value, self.cursor.line)
        return name
