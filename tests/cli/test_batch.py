"""The command batch: bad calls, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.batches import ROWS, batch, lines


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((), "required: -o/--out"),
        (("--out=o", "--column=x"), "--column: needs NAME=COLUMN"),
        (("--out=o", "--column=x=y"), "columns are named for id, answer"),
        (("--out=o", "--workers=0"), "whole number, at least 1"),
        (("--out=o", "--format=unifeid"), "unified"),
        (("--out=nowhere/o",), "can't be written"),
        (("--out=o", "--repos=nowhere"), "'nowhere' doesn't exist"),
        (("--out=o", "--instances=nowhere"), "nowhere can't be read"),
    ],
)
def test_a_bad_call_is_refused_before_anything_is_done(arguments: tuple[str, ...], why: str, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    assert why in batch(tmp_path / "in.jsonl", *arguments, code=2).stderr.decode()
    assert list(tmp_path.iterdir()) == [tmp_path / "in.jsonl"]


def test_unknown_columns_are_named_before_any_row_is_run(tmp_path: Path) -> None:
    table, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    table.write_bytes(lines([{"id": 1, "response": ROWS[0]["answer"], "files": ROWS[0]["files"]}]))
    refused = batch(table, "--out", out, code=2).stderr.decode()
    assert "no column answer or model_patch or completion or messages, only id, response, files" in refused
    assert "--column answer=response" in refused and list(tmp_path.iterdir()) == [table]
    assert "no column texts" in batch(table, "--out", out, "--column=answer=texts", code=2).stderr.decode()
    assert "no column name" in batch(table, "--out", out, "--column=answer=response", "--column=id=name", code=2).stderr.decode()  # fmt: skip
    batch(table, "--out", out, "--column=answer=response")
    table.write_bytes(lines([{"answer": ROWS[0]["answer"], "tree": ROWS[0]["files"]}]))
    assert "no column files or repo" in batch(table, "--out", tmp_path / "p.jsonl", code=2).stderr.decode()


def test_only_force_replaces_results(tmp_path: Path) -> None:
    table, out = tmp_path / "in.jsonl", tmp_path / "o.jsonl"
    table.write_bytes(lines(ROWS))
    out.write_text("old\n")
    out.with_name("o.jsonl.part").write_text("half of a")
    assert b"--force" in batch(table, "--out", out, code=2).stderr and out.read_text() == "old\n"
    batch(table, "--out", out, "--force")
    assert len(out.read_bytes().splitlines()) == len(ROWS) and not out.with_name("o.jsonl.part").exists()
    assert b"not allowed with argument" in batch(table, "--out", out, "--force", "--resume", code=2).stderr
    assert b"has the answers" in batch(table, "--out", table, "--force", code=2).stderr
    assert len(table.read_bytes().splitlines()) == len(ROWS)


def test_the_summary_as_a_page(tmp_path: Path) -> None:
    hostile = {"id": "<script>alert(1)</script>", "answer": ROWS[4]["answer"], "files": ROWS[4]["files"]}
    (tmp_path / "in.jsonl").write_bytes(lines([*ROWS[:2], hostile]))
    batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl", "--html", tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text()
    assert "2 of 3 answers were applied: 66.7%." in page and 'aria-label="unified: 1 applied"' in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;: a.py: " in page and "<script" not in page


def test_the_summary_is_printed_unless_quiet(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    table = batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl").stdout.decode().split("\n")
    assert table[0].split() == ["format", "rows", "applied", "partial", "proposed", "refused"]
    assert batch(tmp_path / "in.jsonl", "--out", tmp_path / "q.jsonl", "--quiet").stdout == b""
    assert json.loads(batch(tmp_path / "in.jsonl", "--out", tmp_path / "j.jsonl", "--json").stdout)["rows"] == 5
    unwritable = batch(tmp_path / "in.jsonl", "--out", tmp_path / "s.jsonl", "--summary", tmp_path, code=3)
    assert b"the summary can't be written" in unwritable.stderr and (tmp_path / "s.jsonl").exists()
