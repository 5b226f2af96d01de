"""Reviews as JSON, and in words for the model."""

from __future__ import annotations

import json
from pathlib import Path

from anypatch import review

ANSWER = (
    "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n"
    "a.py\n<<<<<<< SEARCH\nz = 1\n=======\nz = 2\n>>>>>>> REPLACE\n"
)


def test_plain_values_hold_every_line(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 1\nw = 1\nv = 1\nz = 1\n")
    value = json.loads(json.dumps(review(ANSWER, tmp_path).drop("2.1").to_dict()))
    assert value["ok"] is True
    assert [(hunk["id"], hunk["kept"], hunk["old"]) for hunk in value["files"][0]["hunks"]] == [
        ("1.1", True, [1, 1]), ("2.1", False, [5, 5]),
    ]  # fmt: skip
    assert [line["sign"] for line in value["files"][0]["hunks"][0]["lines"]] == ["-", "+", " ", " ", " "]
    assert [block["state"] for block in value["blocks"]] == ["kept", "dropped"]


def test_the_model_learns_what_was_left_out_and_why(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\ny = 1\nw = 1\nv = 1\nz = 1\n")
    words = review(ANSWER, tmp_path).drop("2.1").edit("1.1", "x = 3\n").for_model()
    assert words == (
        "Somebody reviewed your answer and kept 1 of 2 changes.\n\n"
        "Applied with other new lines, a.py, line 1:\n    -x = 1\n    +x = 3\n\n"
        "Left out, a.py, line 5:\n    -z = 1\n    +z = 2\n\n"
        "Don't send again what was left out, unless you are asked to.\n"
    )


def test_the_model_learns_what_was_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    words = review(ANSWER, tmp_path).for_model()
    assert "Not applied, line 9 of your answer, a.py: the text is not in the file" in words
