"""Rows of answers become rows of results, whatever is wrong with them, one by one or as tables."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import anypatch
from anypatch.batch import Apply
from support.batches import BLOCK, DIFF, FILES, ROWS, SAME, batch, lines, results_of, untimed


def test_a_row_for_each_row_in_order(tmp_path: Path) -> None:
    results = {row["id"]: row for row in results_of(tmp_path, ROWS)}
    assert list(results) == [row["id"] for row in ROWS]
    assert {name: results[name]["ok"] for name in results} == {name: name in SAME for name in results}
    assert len({results[name]["hash"] for name in SAME}) == len({results[name]["diff"] for name in SAME}) == 1
    diff = results["diff"]
    assert diff["diff"] == "diff --git a/a.py b/a.py\n" + DIFF
    assert diff["changed"] == [{"path": "a.py", "action": "update", "added": 1, "removed": 1}]
    assert (diff["format"], diff["levels"], diff["problems"], diff["partial"]) == ("unified", ["exact"], [], False)
    assert results["block"]["format"] == "search-replace" and diff["ms"] > 0
    gone = results["gone"]
    (problem,) = gone["problems"]
    assert (problem["kind"], problem["path"]) == ("not_found", "a.py") and "not in the file" in problem["message"]
    assert gone["diff"] is gone["hash"] is None and gone["changed"] == []
    assert anypatch.apply_to(gone["corrected"], FILES).files == anypatch.apply_to(BLOCK, FILES).files


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (b"{torn", "not JSON"),
        (b"[1]", "not a JSON object"),
        (b"\xff\xfe", "not JSON"),
        ({"files": FILES}, "no answer"),
        ({"answer": 3, "files": FILES}, "answer must be a str"),
        ({"answer": DIFF}, "neither files nor repo"),
        ({"answer": DIFF, "files": [1]}, "its files are neither"),
        ({"answer": DIFF, "files": {"a.py": 1}}, "is not a string"),
        ({"answer": DIFF, "repo": "x/y", "base_commit": "main"}, "no folder of repositories"),
    ],
)
def test_a_row_that_cannot_be_used_is_a_row_with_a_problem(row: Any, why: str, tmp_path: Path) -> None:
    data = row if isinstance(row, bytes) else json.dumps(row).encode()
    (tmp_path / "in.jsonl").write_bytes(lines(ROWS[:1]) + data + b"\n\n" + lines(ROWS[1:2]))
    batch(tmp_path / "in.jsonl", "-o", tmp_path / "out.jsonl")
    before, bad, after = untimed((tmp_path / "out.jsonl").read_bytes())
    assert before["ok"] and after["ok"] and not bad["ok"]
    assert bad["id"] == 1 and [problem["kind"] for problem in bad["problems"]] == ["bad_row"]
    assert why in bad["problems"][0]["message"]


def test_an_error_of_our_own_is_a_row_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr("anypatch.batch.rows.read_and_apply", broken)
    (problem,) = Apply()(ROWS[0])["problems"]
    assert problem["kind"] == "row_failed" and "RuntimeError: no luck" in problem["message"]


def test_options_reach_the_rows(tmp_path: Path) -> None:
    two = DIFF + "--- a/b.py\n+++ b/b.py\n@@ -1 +1 @@\n-x\n+y\n"
    assert not results_of(tmp_path, [{"answer": two, "files": FILES}])[0]["ok"]
    (row,) = results_of(tmp_path, [{"answer": two, "files": FILES}], "--partial")
    assert row["partial"] and [change["path"] for change in row["changed"]] == ["a.py"]
    broken = [{"text": BLOCK.replace("b = 3", "b = ("), "tree": FILES, "key": "k"}]
    columns = ("--column", "answer=text", "--column=files=tree", "--column", "id=key")
    assert results_of(tmp_path, broken, *columns)[0]["ok"]
    (row,) = results_of(tmp_path, broken, *columns, "--syntax=refuse")
    assert (row["id"], [problem["kind"] for problem in row["problems"]]) == ("k", ["syntax"])
    assert not results_of(tmp_path, ROWS[:1], "--format", "search-replace")[0]["ok"]


def test_apply_takes_rows_columns_and_tables() -> None:
    apply = pickle.loads(pickle.dumps(Apply()))
    rows = [{"id": row["id"], "answer": row["answer"], "files": json.dumps(FILES)} for row in (ROWS[0], ROWS[4])]
    wanted = [apply(row) for row in rows]
    assert [row["ok"] for row in wanted] == [True, False]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    for by_column in (apply(columns), pickle.loads(pickle.dumps(apply))(columns)):
        results = [dict(zip(by_column, values, strict=True)) for values in zip(*by_column.values(), strict=True)]
        assert [{**row, "ms": 0} for row in results] == [{**row, "ms": 0} for row in wanted]
    assert apply({"answer": [], "files": []}) == {}
    pa = pytest.importorskip("pyarrow", reason="anypatch[batch] is not installed")
    assert apply(pa.Table.from_pylist(rows))["hash"].to_pylist() == [row["hash"] for row in wanted]


def test_it_is_found_where_the_library_is() -> None:
    assert anypatch.batch.Apply is Apply and {"batch", "apply", "same_effect"} <= set(dir(anypatch))


def test_wrong_options_raise_at_once() -> None:
    with pytest.raises(ValueError, match="syntax must be one of"):
        Apply(syntax="strict")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="columns are named for"):
        Apply(columns={"text": "answer"})
    with pytest.raises(ValueError, match="Did you mean unified"):
        Apply(format="unifeid")  # type: ignore[arg-type]
