"""A format is recognised by the same first bytes, plain, compressed or through a pipe."""

import bz2
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import threading
import time

import pytest
from sizes import long

import irbounds as irb
from irbounds.foundation.errors import InputFileError
from irbounds.rankings.reading.compressed import Filled

LONG = "x" * 5000
JSONL = "".join(
    json.dumps({"query_id": "q1", "doc_id": doc, "score": score, "text": LONG}) + "\n"
    for doc, score in (("d1", 2.0), ("d2", 1.0))
)
WIDE = ",".join([f"feature_{i:04}" for i in range(400)] + ["query_id", "doc_id", "score"])
CSV = f"{WIDE}\n{','.join(['0'] * 400)},q1,d1,2\n{','.join(['0'] * 400)},q1,d2,1\n"
BLANK = "\n" * 5000 + "query_id,doc_id,score\nq1,d1,2\nq1,d2,1\n"
PACKED = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("text", [JSONL, CSV, BLANK], ids=["jsonl", "csv", "blank"])
def test_long_first_lines(tmp_path, text, suffix):
    path = tmp_path / f"run{suffix}"
    path.write_bytes(PACKED[suffix](text.encode()))
    assert irb.Run(path).to_dict() == {"q1": {"d1": 2.0, "d2": 1.0}}


@pytest.mark.parametrize(
    ("text", "suffix", "cut"),
    [(JSONL, "", 1), (CSV, "", 4200)]
    + [long((JSONL, suffix, 5)) for suffix in PACKED]
    + [long((CSV, ".gz", 1))],
    ids=range(7),
)
def test_bytes_that_come_late(tmp_path, text, suffix, cut):
    (tmp_path / "qrels").write_text("q1 0 d2 1\n")
    data = PACKED[suffix](text.encode())
    command = [sys.executable, "-m", "irbounds", "eval", str(tmp_path / "qrels"), "-", "-m", "RR"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(data[:cut])
        process.stdin.flush()
        time.sleep(0.3)
        process.stdin.write(data[cut:])
        out = process.communicate()[0].decode()
    assert (process.returncode, "0.5000" in out) == (0, True)


AFTER_A_LINE = """
import sys, irbounds
assert sys.stdin.buffer.readline() == b"first\\n"
print(irbounds.Run("-").to_dict())
"""


@pytest.mark.parametrize("kind", ["pipe", "file"])
def test_what_a_script_has_read_before(tmp_path, kind):
    """Bytes that Python's own buffer holds are not lost."""
    text = b"first\nq Q0 d1 1 2 t\nq Q0 d2 2 1 t\n"
    (tmp_path / "input").write_bytes(text)
    command = [sys.executable, "-c", AFTER_A_LINE]
    with (tmp_path / "input").open("rb") as file:
        given = {"input": text} if kind == "pipe" else {"stdin": file}
        out = subprocess.run(command, **given, check=True, stdout=subprocess.PIPE).stdout
    assert out.split() == b"{'q': {'d1': 2.0, 'd2': 1.0}}".split()


def test_a_source_that_does_not_wait():
    class Source:
        found = iter([3, None])

        def readinto(self, to):
            return next(self.found)

    with pytest.raises(BlockingIOError, match="no data yet"):
        Filled(Source()).read(10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_named_pipe(tmp_path):
    os.mkfifo(tmp_path / "run")

    def write():
        with (tmp_path / "run").open("wb", buffering=0) as file:
            for part in (JSONL[:10], JSONL[10:]):
                file.write(part.encode())
                time.sleep(0.1)

    thread = threading.Thread(target=write)
    thread.start()
    assert irb.Run(tmp_path / "run").to_dict() == {"q1": {"d1": 2.0, "d2": 1.0}}
    thread.join()


class Drips(io.RawIOBase):
    """A byte at a time, then an error."""

    def __init__(self, data, error=None):
        self.data, self.error = data, error

    def readable(self):
        return True

    def readinto(self, to):
        if not self.data and self.error:
            raise self.error
        to[: len(self.data[:1])] = self.data[:1]
        n, self.data = len(self.data[:1]), self.data[1:]
        return n


def test_reads_are_filled_and_errors_come_after_what_was_read():
    assert io.BufferedReader(Filled(Drips(b"abcdef")), 4).peek(4) == b"abcd"
    file = io.BufferedReader(Filled(Drips(b"abc", InputFileError("damaged"))), 8)
    assert file.peek(8) == b"abc"
    with pytest.raises(InputFileError, match="damaged"):
        file.read()
    with pytest.raises(InputFileError, match="damaged"):
        Filled(Drips(b"", InputFileError("damaged"))).readinto(bytearray(2))
