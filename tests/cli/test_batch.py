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


def test_the_summary_is_printed_unless_quiet(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS))
    table = batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl").stdout.decode().split("\n")
    assert table[0].split() == ["format", "rows", "applied", "partial", "proposed", "refused"]
    assert batch(tmp_path / "in.jsonl", "--out", tmp_path / "q.jsonl", "--quiet").stdout == b""
    assert json.loads(batch(tmp_path / "in.jsonl", "--out", tmp_path / "j.jsonl", "--json").stdout)["rows"] == 5
    unwritable = batch(tmp_path / "in.jsonl", "--out", tmp_path / "s.jsonl", "--summary", tmp_path, code=3)
    assert b"the summary can't be written" in unwritable.stderr and (tmp_path / "s.jsonl").exists()
