"""Answers in and results out: JSON lines, plain, compressed or on standard input; JSON; Parquet, with pyarrow.

While a batch runs, its results are JSON lines in `RESULTS.part`, in the order of the answers. What a kill leaves of it
is the results of the first so many rows, and maybe a piece of a line, which is cut off. In the end it becomes RESULTS.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO

from ..problems import Problem, Refused, reason
from ..text import writable

Chunk = Sequence[Mapping[str, Any] | bytes]  # rows, of JSON lines as they are
ROWS, BYTES = 64, 1 << 18  # of a chunk, which one process works on at a time
_GROUP = 1000  # rows of a group in Parquet


class Answers:
    """A table of answers. `rows`: how many were read so far. `share`: how much of it that is, -1 if nobody knows."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows = 0
        self.share = -1.0

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """The rows but the first ones, some at a time. Refused where the table can't be read, or not to its end."""
        try:
            for chunk in self._chunks():
                self.rows += len(chunk)
                if skip >= len(chunk):
                    skip -= len(chunk)
                else:
                    yield chunk[skip:]
                    skip = 0
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise Refused(Problem("unreadable", f"{self.path} can't be read: {reason(error)}")) from None

    def _chunks(self) -> Iterator[Chunk]:
        if self.path == "-":
            if sys.stdin is None:
                raise ValueError("standard input is closed")
            yield from _lines(sys.stdin.buffer)
        elif self.path.endswith(".parquet"):
            yield from self._parquet()
        elif self.path.removesuffix(".gz").endswith(".json"):
            yield from self._json()
        else:
            with open(self.path, "rb", BYTES) as file:  # lines are long
                size = os.fstat(file.fileno()).st_size or 1
                for chunk in _lines(gzip.GzipFile(fileobj=file) if self.path.endswith(".gz") else file):
                    self.share = file.tell() / size
                    yield chunk

    def _json(self) -> Iterator[Chunk]:
        """One JSON value, as SWE-bench's predictions may be: a list of rows, or rows by their id."""
        with open(self.path, "rb") as file:
            value = json.load(gzip.GzipFile(fileobj=file) if self.path.endswith(".gz") else file)
        if isinstance(value, dict):
            value = [{"instance_id": id, **row} if isinstance(row, dict) else row for id, row in value.items()]
        if not isinstance(value, list):
            raise ValueError("it contains neither a list of rows nor an object of rows by ID")
        rows = [json.dumps(row).encode() for row in value]
        for at in range(0, len(rows), ROWS):
            self.share = min(at + ROWS, len(rows)) / len(rows)
            yield rows[at : at + ROWS]

    def _parquet(self) -> Iterator[Chunk]:
        file = _pyarrow().ParquetFile(self.path)
        at, total = 0, file.metadata.num_rows or 1
        for batch in file.iter_batches(batch_size=ROWS):
            at += batch.num_rows
            self.share = at / total
            yield batch.to_pylist()


def _lines(stream: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lines that aren't empty, some at a time."""
    chunk: list[bytes] = []
    size = 0
    for line in stream:
        if not line.isspace():
            chunk.append(line)
            size += len(line)
        if len(chunk) >= ROWS or size >= BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def instances(path: str) -> dict[str, tuple[str, str]]:
    """Repository and commit of each instance of a benchmark, from a table with instance_id, repo and base_commit."""
    found = {}
    for chunk in Answers(path).chunks():
        for raw in chunk:
            row = json.loads(raw) if isinstance(raw, bytes) else raw
            try:
                found[str(row["instance_id"])] = str(row["repo"]), str(row["base_commit"])
            except (KeyError, TypeError):
                detail = f"a row of {path} lacks instance_id, repo or base_commit"
                raise Refused(Problem("unreadable", detail)) from None
    return found


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        advice = "Run: python -m pip install 'pyarrow>=17'"
        raise Refused(Problem("bad_call", "Parquet needs the package pyarrow", advice=advice)) from None
    return pyarrow.parquet


# ── results ──────────────────────────────────────────────────────────────────────────────────────


class Results:
    """Where results go: `add` takes them in order, `finish` gives them their name. With "-": to standard output."""

    def __init__(self, path: str, *, resume: bool) -> None:
        self.path, self.part = path, f"{path}.part"
        self._file: BinaryIO
        if path == "-":
            self._file = sys.stdout.buffer
            return
        if path.endswith(".parquet"):
            _pyarrow()  # better now than in the end
        if os.path.exists(path):
            raise Refused(Problem("bad_call", f"{path} already exists", advice="Remove it, or choose another name."))
        if os.path.exists(self.part) and not resume:
            advice = "Continue with --resume, or remove it."
            raise Refused(Problem("bad_call", f"{self.part} is left over from an interrupted batch", advice=advice))
        try:
            self._file = open(self.part, "ab+")  # noqa: SIM115 - closed when the batch is
        except OSError as error:
            raise Refused(Problem("unreadable", f"{self.part} can't be written: {error.strerror}")) from None
        try:
            # Of a sort that the processes of the pool don't inherit: they may live a little longer.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(Problem("bad_call", f"another batch is writing to {self.part}")) from None

    def known(self) -> Iterator[dict[str, Any]]:
        """What is there of a batch that broke off; a line that was cut off goes."""
        if self.path == "-":
            return
        self._file.seek(0)
        whole = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            whole += len(line)
            yield json.loads(line)
        self._file.truncate(whole)

    def add(self, lines: bytes) -> None:
        """Put results behind those that are there, at once."""
        self._file.write(lines)
        self._file.flush()

    def finish(self) -> None:
        """Make the results what their name says."""
        if self.path == "-":
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        if self.path.endswith((".gz", ".parquet")):
            made = f"{self.part}.new"
            (_write_parquet if self.path.endswith(".parquet") else _compress)(self.part, made)
            os.replace(made, self.path)
            os.unlink(self.part)
        else:
            os.replace(self.part, self.path)
        self.close()

    def close(self) -> None:
        """Let go of the file; what is in it stays."""
        if self.path != "-":
            self._file.close()


def _compress(source: str, target: str) -> None:
    with open(source, "rb") as lines, open(target, "wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as packed:
        while data := lines.read(1 << 20):
            packed.write(data)


def _write_parquet(source: str, target: str) -> None:
    """Group by group, so that memory stays small."""
    parquet = _pyarrow()
    with open(source, "rb") as lines, parquet.ParquetWriter(target, arrow_table([]).schema) as writer:
        while rows := [json.loads(line) for line in islice(lines, _GROUP)]:
            writer.write_table(arrow_table(rows))


def arrow_table(rows: list[dict[str, Any]]) -> Any:
    """Results as a table of pyarrow's, whose columns have a type also where they hold nothing.

    Bytes that are no UTF-8 become escapes, as Arrow can't hold them.
    """
    _pyarrow()
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    problem = {"kind": text, "path": text, "patch_line": number, "line": number, "message": text}
    changed = {"path": text, "action": text, "added": number, "removed": number}
    schema = pa.schema({
        "id": text, "ok": pa.bool_(), "status": text, "partial": pa.bool_(), "format": text, "levels": pa.list_(text),
        "problems": pa.list_(pa.struct(problem)), "changed": pa.list_(pa.struct(changed)), "diff": text, "hash": text,
        "corrected": text, "ms": pa.float64(),
    })  # fmt: skip
    return pa.Table.from_pylist([writable(row | {"id": str(row["id"])}) for row in rows], schema)
