"""Answers in and results out: JSON lines, plain, compressed or on standard input; JSON; Parquet, with pyarrow.

While a batch runs, its results are JSON lines in `RESULTS.part`, in the order of the answers. If it is killed, that
file holds the results of the first rows, and maybe a part of a line, which is dropped. In the end it becomes RESULTS.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, BinaryIO

from ..problems import Problem, Refused, reason
from ..text import writable

Chunk = Sequence[Mapping[str, Any] | bytes]  # rows; JSON lines as they are
_CHUNK_ROWS, _CHUNK_BYTES = 64, 1 << 18
_GROUP_ROWS = 1000  # of a group in Parquet


class AnswerTable:
    """A table of answers. `rows`: how many were read so far. `share`: the part of all that they are, -1 if unknown."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows = 0
        self.share = -1.0
        self._rest = self._readable()

    def columns(self) -> list[str]:
        """Return the columns of the first rows, which `chunks` yields all the same."""
        first: list[Chunk] = []
        while sum(map(len, first)) < _CHUNK_ROWS and (chunk := next(self._rest, None)):
            first.append(chunk)
        self._rest = chain(first, self._rest)
        names: dict[str, None] = {}
        for row in chain.from_iterable(first):
            try:
                value = json.loads(row) if isinstance(row, bytes) else row
            except (ValueError, RecursionError):
                continue  # it becomes a result of its own
            names |= dict.fromkeys(value if isinstance(value, Mapping) else ())
        return list(names)

    def chunks(self, skip: int = 0) -> Iterator[Chunk]:
        """Yield the rows after the first `skip`, some at a time. Raise Refused if it can't be read to its end."""
        for chunk in self._rest:
            self.rows += len(chunk)
            if skip >= len(chunk):
                skip -= len(chunk)
            else:
                yield chunk[skip:]
                skip = 0

    def _readable(self) -> Iterator[Chunk]:
        try:
            yield from self._chunks()
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
            with open(self.path, "rb", _CHUNK_BYTES) as file:  # lines are long
                size = os.fstat(file.fileno()).st_size or 1
                for chunk in _lines(gzip.GzipFile(fileobj=file) if self.path.endswith(".gz") else file):
                    self.share = file.tell() / size
                    yield chunk

    def _json(self) -> Iterator[Chunk]:
        """Read one JSON value, as SWE-bench's predictions may be: a list of rows, or rows by their ID."""
        with open(self.path, "rb") as file:
            value = json.load(gzip.GzipFile(fileobj=file) if self.path.endswith(".gz") else file)
        if isinstance(value, dict):
            value = [{"instance_id": id, **row} if isinstance(row, dict) else row for id, row in value.items()]
        if not isinstance(value, list):
            raise ValueError("it contains neither a list of rows nor an object of rows by ID")
        rows = [json.dumps(row).encode() for row in value]
        for start in range(0, len(rows), _CHUNK_ROWS):
            self.share = min(start + _CHUNK_ROWS, len(rows)) / len(rows)
            yield rows[start : start + _CHUNK_ROWS]

    def _parquet(self) -> Iterator[Chunk]:
        file = _pyarrow().ParquetFile(self.path)
        done, total = 0, file.metadata.num_rows or 1
        for batch in file.iter_batches(batch_size=_CHUNK_ROWS):
            done += batch.num_rows
            self.share = done / total
            yield batch.to_pylist()


def _lines(stream: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Yield lines that aren't blank, some at a time."""
    chunk: list[bytes] = []
    size = 0
    for line in stream:
        if not line.isspace():
            chunk.append(line)
            size += len(line)
        if len(chunk) >= _CHUNK_ROWS or size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def instances(path: str) -> dict[str, tuple[str, str]]:
    """Return repository and commit of each instance of a benchmark: a table of instance_id, repo and base_commit."""
    commits = {}
    for chunk in AnswerTable(path).chunks():
        for raw in chunk:
            row = json.loads(raw) if isinstance(raw, bytes) else raw
            try:
                commits[str(row["instance_id"])] = str(row["repo"]), str(row["base_commit"])
            except (KeyError, TypeError):
                detail = f"a row of {path} lacks instance_id, repo or base_commit"
                raise Refused(Problem("unreadable", detail)) from None
    return commits


def _pyarrow() -> Any:
    try:
        import pyarrow.parquet
    except ImportError:
        advice = "Run: python -m pip install 'pyarrow>=17'"
        raise Refused(Problem("bad_call", "Parquet needs the package pyarrow", advice=advice)) from None
    return pyarrow.parquet


# ── results ──────────────────────────────────────────────────────────────────────────────────────


class ResultTable:
    """Where results go: `add` takes them in order, `finish` gives the file its name. "-" is standard output."""

    def __init__(self, path: str, *, resume: bool, force: bool = False) -> None:
        """Open the table. `force`: replace one that exists, finished or not."""
        self.path, self.part = path, f"{path}.part"
        self._file: BinaryIO
        if path == "-":
            self._file = sys.stdout.buffer
            return
        if path.endswith(".parquet"):
            _pyarrow()  # fail now, not at the end
        if os.path.exists(path) and not force:
            advice = "Choose another name, or replace it with --force."
            raise Refused(Problem("bad_call", f"{path} already exists", advice=advice))
        if os.path.exists(self.part) and not (resume or force):
            advice = "Continue with --resume, or start over with --force."
            raise Refused(Problem("bad_call", f"{self.part} is left over from an interrupted batch", advice=advice))
        try:
            self._file = open(self.part, "ab+")  # noqa: SIM115 - closed when the batch is
        except OSError as error:
            raise Refused(Problem("unreadable", f"{self.part} can't be written: {error.strerror}")) from None
        try:
            # The processes of the pool, which may live a little longer, don't inherit this kind of lock.
            fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Refused(Problem("bad_call", f"another batch is writing to {self.part}")) from None
        if force:
            self._file.truncate(0)

    def existing(self) -> Iterator[dict[str, Any]]:
        """Yield the results of an interrupted batch, and drop an incomplete last line."""
        if self.path == "-":
            return
        self._file.seek(0)
        size = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                break
            size += len(line)
            yield json.loads(line)
        self._file.truncate(size)

    def add(self, lines: bytes) -> None:
        """Append results, and flush them."""
        self._file.write(lines)
        self._file.flush()

    def finish(self) -> None:
        """Convert the results to the format that their name asks for, and give them that name."""
        if self.path == "-":
            return
        self._file.flush()
        os.fsync(self._file.fileno())
        if self.path.endswith((".gz", ".parquet")):
            converted = f"{self.part}.new"
            (_write_parquet if self.path.endswith(".parquet") else _compress)(self.part, converted)
            os.replace(converted, self.path)
            os.unlink(self.part)
        else:
            os.replace(self.part, self.path)
        self.close()

    def close(self) -> None:
        """Close the file and keep what is in it."""
        if self.path != "-":
            self._file.close()


def _compress(source: str, target: str) -> None:
    with open(source, "rb") as lines, open(target, "wb") as file, gzip.GzipFile("", "wb", 6, file, 0) as packed:
        shutil.copyfileobj(lines, packed)


def _write_parquet(source: str, target: str) -> None:
    """Write one group after another, so that memory stays small."""
    parquet = _pyarrow()
    with open(source, "rb") as lines, parquet.ParquetWriter(target, arrow_table([]).schema) as writer:
        while rows := [json.loads(line) for line in islice(lines, _GROUP_ROWS)]:
            writer.write_table(arrow_table(rows))


def arrow_table(rows: list[dict[str, Any]]) -> Any:
    """Return results as a pyarrow table; its columns have their types even if they are empty.

    Bytes that aren't UTF-8 are escaped, since Arrow can't hold them.
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
