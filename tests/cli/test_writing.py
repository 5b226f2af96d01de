"""The commands make, convert, invert, schema and tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import anypatch
from anypatch.api import formats
from support.program import anypatch_text as run


def test_make_convert_invert_and_apply(tmp_path: Path) -> None:
    for side, text in (("old", "one\ntwo\n"), ("new", "one\n2\n")):
        (tmp_path / side).mkdir()
        (tmp_path / side / "f.txt").write_text(text)
    made = run("make", "--format", "chunk", "old", "new", cwd=tmp_path)
    assert made.returncode == 0 and made.stdout.startswith("operations:") and made.stderr == ""
    turned = run("convert", "--to", "unified", "--root", "old", stdin=made.stdout, cwd=tmp_path)
    back = run("invert", "--to", "json-edits", "--root", "old", stdin=made.stdout, cwd=tmp_path)
    assert run("apply", "--root", "old", stdin=turned.stdout, cwd=tmp_path).returncode == 0
    assert (tmp_path / "old" / "f.txt").read_text() == "one\n2\n"
    assert run("make", "--format", "chunk", "old/f.txt", "new/f.txt", cwd=tmp_path).stderr.startswith(
        "anypatch: nothing differs"
    )
    assert run("apply", "--root", "old", stdin=back.stdout, cwd=tmp_path).returncode == 0
    assert (tmp_path / "old" / "f.txt").read_text() == "one\ntwo\n"
    told = json.loads(run("make", "--json", "--format", "chunk", "old", "new", cwd=tmp_path).stdout)
    assert told == {"ok": True, "format": "chunk", "patch": made.stdout}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["make", "a", "b"], "required: --format"),
        (["make", "--format", "chunk", "a"], "make needs two files or two folders"),
        (["make", "--format", "chunk", "none", "neither"], "neither 'none' nor 'neither' exists"),
        (["make", "--format", "chnk", "old", "new"], "Did you mean chunk"),
        (["convert"], "required: --to"),
        (["schema", "unified"], "unified is not called as a tool"),
        (["schema", "chunk", "--for", "me"], "--for: invalid choice"),
        (["tokens", "--git", "nothing"], "not a git repository"),
    ],
)
def test_a_bad_call_is_refused(arguments: list[str], error: str, tmp_path: Path) -> None:
    for side in ("old", "new"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "f").write_text(side)
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == ""
    assert error in done.stderr


def test_what_a_format_cannot_express_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\x7fELF\x00")
    done = run("make", "--format", "chunk", "/dev/null", "f", cwd=tmp_path)
    assert done.returncode == 1 and "chunk can't express this change to f: it is binary data" in done.stderr


def test_tokens_as_a_chart_and_as_json(tmp_path: Path) -> None:
    (tmp_path / "f.txt").write_text("one\ntwo\n" * 30 + "three\n")
    patch = "f.txt\n<<<<<<< SEARCH\nthree\n=======\n3\n>>>>>>> REPLACE\n"
    chart = run("tokens", stdin=patch, cwd=tmp_path).stdout.split("\n")
    assert chart[0].split() == ["format", "tokens"]
    assert len(chart) == len(formats()) + 2 and all("█" in line or "▏" in line for line in chart[-3:-1])
    rows = json.loads(run("tokens", "--json", stdin=patch, cwd=tmp_path).stdout)["formats"]
    assert [row["format"] for row in rows] == [line.split()[0] for line in chart[1:-1]]
    assert all(row["tokens"] > 0 for row in rows)
    assert (tmp_path / "f.txt").read_text().endswith("three\n")


def test_a_patch_that_holds_another_is_read_as_itself(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("a\n")
    (tmp_path / "new").write_text("a\n```\n*** Begin Patch\n*** Delete File: x\n*** End Patch\n```\n")
    done = run("make", "--format", "search-replace", "old", "new", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr  # what is in a block is its text
    assert anypatch.apply_to(done.stdout, {"old": "a\n"}).files["old"] == (tmp_path / "new").read_text()
