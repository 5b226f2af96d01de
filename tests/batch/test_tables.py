"""Tables in and out: JSON lines, compressed, JSON, Parquet; tables that can't be read or written."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.batch.tables import AnswerTable
from support.batches import DIFF, FILES, ROWS, batch, lines, results_of, untimed


def parquet() -> Any:
    return pytest.importorskip("pyarrow.parquet", reason="anypatch[batch] is not installed")


def test_every_kind_of_table_gives_the_same(tmp_path: Path) -> None:
    wanted = [{name: value for name, value in row.items() if name != "ms"} for row in results_of(tmp_path, ROWS)]
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(lines(ROWS)))
    batch(tmp_path / "in.jsonl.gz", "--out", tmp_path / "out.jsonl.gz")
    assert untimed(gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes())) == wanted
    piped = batch("-", "--out", "-", stdin=lines(ROWS))
    assert untimed(piped.stdout) == wanted and b"search-replace" in piped.stderr
    (tmp_path / "in.json").write_text(json.dumps(ROWS))
    batch(tmp_path / "in.json", "--out", tmp_path / "json.jsonl", "--workers", "1")
    assert untimed((tmp_path / "json.jsonl").read_bytes()) == wanted
    assert not list(tmp_path.glob("*.part*"))


def test_parquet_in_and_out(tmp_path: Path) -> None:
    pq, pa = parquet(), pytest.importorskip("pyarrow")
    rows = [{"id": row["id"], "answer": row["answer"], "files": list(FILES.items())} for row in (ROWS[0], ROWS[4])]
    rows.append({"id": "bytes", "answer": DIFF.replace("+b = 3", "+b = '\ud83d'"), "files": list(FILES.items())})
    rows[2]["answer"] = DIFF.replace("+b = 3", "+b = 'ä'")
    schema = pa.schema({"id": pa.string(), "answer": pa.string(), "files": pa.map_(pa.string(), pa.string())})
    pq.write_table(pa.Table.from_pylist(rows, schema), tmp_path / "in.parquet")
    batch(tmp_path / "in.parquet", "--out", tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet").to_pylist()
    wanted = results_of(tmp_path, [{**row, "files": FILES} for row in rows])
    assert [{**row, "ms": 0} for row in table] == [{**row, "ms": 0} for row in wanted]


def test_without_pyarrow_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(anypatch.PatchError) as caught:
        list(AnswerTable(str(tmp_path / "in.parquet")).chunks())
    assert caught.value.problems[0].advice == "Run: python -m pip install 'pyarrow>=17'"


@pytest.mark.parametrize(
    ("name", "data"),
    [("in.jsonl.gz", gzip.compress(lines(ROWS * 9))[:-20]), ("in.json", b"3"), ("in.json", b"{"), ("none.jsonl", None)],
)
def test_a_table_that_cannot_be_read_is_refused(name: str, data: bytes | None, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    done = batch(tmp_path / name, "--out", tmp_path / "out.jsonl", code=2)
    assert f"{tmp_path / name} can't be read".encode() in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


def test_results_are_never_overwritten(tmp_path: Path) -> None:
    results_of(tmp_path, ROWS)
    before = (tmp_path / "out.jsonl").read_bytes()
    assert b"already exists" in batch(tmp_path / "in.jsonl", "--out", tmp_path / "out.jsonl", code=2).stderr
    assert (tmp_path / "out.jsonl").read_bytes() == before
    (tmp_path / "other.jsonl.part").write_bytes(b"")
    assert b"--resume" in batch(tmp_path / "in.jsonl", "--out", tmp_path / "other.jsonl", code=2).stderr
