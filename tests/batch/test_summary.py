"""The summary: counts by format, kind and level, and times."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anypatch.batch.summary import Summary
from support.batches import ROWS, batch, lines


def test_the_summary(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS) + b"{\n")
    done = batch(tmp_path / "in.jsonl", "--out", tmp_path / "o.jsonl", "--summary", tmp_path / "s.json")
    value = json.loads((tmp_path / "s.json").read_text())
    assert {name: value[name] for name in ("rows", "applied", "partial", "refused")} == {
        "rows": 6, "applied": 4, "partial": 0, "refused": 2,
    }  # fmt: skip
    assert value["by_kind"] == {"not_found": 1, "bad_row": 1} and value["by_level"]["exact"] == 4
    assert value["by_format"]["search-replace"] == {"applied": 1, "partial": 0, "proposed": 0, "refused": 1}
    assert 0 < value["ms"]["median"] <= value["ms"]["p95"]
    table = done.stdout.decode().split("\n")
    assert table[0].split() == ["format", "rows", "applied", "partial", "proposed", "refused"]
    assert ["all", "6", "4", "0", "0", "2", "66.7%"] in [line.split() for line in table]


def test_quantiles_are_exact_to_two_percent() -> None:
    summary = Summary()
    row = {"ok": True, "partial": False, "status": "applied", "format": None, "problems": [], "levels": []}
    for ms in range(1, 1001):
        summary.add({**row, "ms": float(ms)})
    assert summary.quantile(0.5) == pytest.approx(500, rel=0.02)
    assert summary.quantile(0.95) == pytest.approx(950, rel=0.02)
    assert Summary().quantile(0.5) == 0.0
