"""Compressed files that are damaged, truncated or of another kind: one line, never fewer rows."""

import bz2
import gzip
import lzma
import random

import pytest

import irbounds as irb

# text that hardly becomes shorter
SOURCE = random.Random(1)
ROWS = "".join(f"q{i // 10} Q0 d{SOURCE.random()} 1 {SOURCE.random()} t\n" for i in range(300))


def zstd(data):
    try:
        from compression import zstd
    except ImportError:
        zstd = pytest.importorskip("zstandard")
    return zstd.compress(data)


COMPRESS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}
CUT = "run: the compressed file ends too early: it is truncated"


def read(tmp_path, data, name="run"):
    path = tmp_path / name
    path.write_bytes(data)
    return irb.Run.from_file(path)


def problem(tmp_path, data, name="run"):
    with pytest.raises(irb.InputError) as error:
        read(tmp_path, data, name)
    text = str(error.value)
    assert "\n" not in text
    return text[text.index(f"{name}:") :]


@pytest.mark.parametrize("kind", COMPRESS)
def test_every_cut_is_seen(kind, tmp_path):
    data = COMPRESS[kind](ROWS.encode())
    for end in (2, 3, 5, 12, 100, len(data) // 2, len(data) - 9, len(data) - 4, len(data) - 1):
        assert problem(tmp_path, data[:end]) == CUT
    both = COMPRESS[kind](ROWS[: ROWS.index("q9")].encode()) + COMPRESS[kind](
        ROWS[ROWS.index("q9") :].encode()
    )
    assert read(tmp_path, both).to_dict() == read(tmp_path, ROWS.encode()).to_dict()
    assert problem(tmp_path, both[:-20]) == CUT


def test_cuts_of_zstd_between_blocks_are_seen(tmp_path):
    """The rows before are whole, and zstandard's own reader ends there without an error."""
    zstandard = pytest.importorskip("zstandard")
    compressor = zstandard.ZstdCompressor().compressobj()
    first = compressor.compress(ROWS.encode())
    first += compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    rest = compressor.compress(b"q99 Q0 d 1 1 t\n") + compressor.flush()
    assert len(read(tmp_path, first + rest)) == 31
    assert problem(tmp_path, first) == CUT
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"  # as pzstd begins
    assert len(read(tmp_path, skipped + first + rest)) == 31


@pytest.mark.parametrize("kind", COMPRESS)
def test_streams_after_the_first_are_not_left_out(kind, tmp_path):
    """As the modules' own readers of bzip2 and xz do if such a stream begins with a wrong byte."""
    half = ROWS.index("q9")
    first, second = (COMPRESS[kind](part.encode()) for part in (ROWS[:half], ROWS[half:]))
    for place in range(3):
        wrong = bytearray(second)
        wrong[place] ^= 0x08
        assert problem(tmp_path, first + bytes(wrong)).startswith("run: the ")
    assert problem(tmp_path, first + b"garbage").startswith(f"run: the {kind} file is damaged: ")
    assert len(read(tmp_path, first + bytes(8) + second + bytes(4))) == 30


@pytest.mark.parametrize("kind", COMPRESS)
def test_few_bytes_that_stand_for_many_are_read_bit_by_bit(kind, tmp_path):
    rows = ROWS + "\n" * 2_000_000 + "q99 Q0 d 1 1 t\n"
    assert len(read(tmp_path, COMPRESS[kind](rows.encode()))) == 31


@pytest.mark.parametrize("kind", COMPRESS)
def test_changed_bytes_are_called_damage(kind, tmp_path):
    data = bytearray(COMPRESS[kind](ROWS.encode()))
    data[len(data) // 2] ^= 0xFF
    assert problem(tmp_path, bytes(data)).startswith(f"run: the {kind} file is damaged: ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:2] + b"\xff" + data[3:], "its header is wrong"),
        (lambda data: data + b"garbage", "other bytes follow the compressed ones"),
        (lambda data: data[:-8] + b"1234" + data[-4:], "its checksum is another one than that of "),
    ],
)
def test_damaged_gzip_says_what_is_wrong(change, message, tmp_path):
    data = change(gzip.compress(ROWS.encode()))
    assert problem(tmp_path, data).startswith(f"run: the gzip file is damaged: {message}")
    with pytest.raises(irb.InputError, match=r"run: the gzip file is damaged"):
        irb.evaluate({"q1": {"d": 1}}, tmp_path / "run", "AP")


def test_names_that_promise_another_compression(tmp_path):
    nul = "found a NUL byte: this is no text file"
    data = lzma.compress(ROWS.encode(), format=lzma.FORMAT_ALONE)
    known = "compressed files are read if they are gzip, xz, bzip2 or zstd"
    assert problem(tmp_path, data, "run.lzma") == f"run.lzma:1: {nul}; {known}, not .lzma"
    assert problem(tmp_path, data, "r.gz") == f"r.gz:1: {nul}; nor is it gzip, as its name says"
    assert len(read(tmp_path, ROWS.encode(), "run.gz")) == 30


@pytest.mark.parametrize("kind", COMPRESS)
def test_compressed_nothing_is_empty(kind, tmp_path):
    assert problem(tmp_path, COMPRESS[kind](b"")) == "run: the file is empty"
