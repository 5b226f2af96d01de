"""Limits: exactly as many are applied, one more is refused, and what is refused early would be refused late."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import anypatch
from anypatch import FormatName, Limits, Settings, api
from anypatch.formats.json_edits import read as json_edits
from anypatch.limits import Tally, check_changes, check_file, check_ops, check_text
from anypatch.model import Chunk, Delete, Edit, File, FileChange, Hunk, MatchPolicy, Merge, Patch, SymbolEdit
from anypatch.problems import Refused
from support.disk_trees import (
    HUNKS,
    PROGRAM,
    put,
    snapshot,
)


def new_file(path: str, text: str = "x\n") -> str:
    return f"*** Begin Patch\n*** Add File: {path}\n+{text.rstrip()}\n*** End Patch\n"


def kinds_of(report: anypatch.Result) -> list[str]:
    return [problem.kind for problem in report.problems]


# ── each limit ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "number", "patch"),
    [
        ("patch_bytes", 20, HUNKS),
        ("patch_bytes", 130, HUNKS + "é" * 60),
        ("files", 1, HUNKS + HUNKS.replace("/a", "/b")),
        ("hunks", 1, HUNKS),
        ("file_hunks", 1, HUNKS),
        ("file_bytes", 3, HUNKS),
        ("line_bytes", 1, HUNKS.replace("1\n+one", "long\n+1")),
        ("lines", 2, HUNKS),
        ("total_bytes", 4, HUNKS),
    ],
)
def test_each_limit_is_named(tmp_path: Path, name: str, number: int, patch: str) -> None:
    put(tmp_path, "a", b"1\n2\n3\n" if "long" not in patch else b"long\n2\n3\n")
    put(tmp_path, "b", b"1\n2\n3\n")
    old = snapshot(tmp_path)
    report = anypatch.apply(patch, tmp_path, settings=Settings(limits=Limits()._replace(**{name: number})))
    assert kinds_of(report) == ["limit"] and name in report.problems[0].detail + report.problems[0].advice
    assert snapshot(tmp_path) == old


def test_the_guide_lists_the_limits() -> None:
    guide = (Path(__file__).parents[1] / "docs/guarantees.md").read_text()
    rows = re.findall(r"`(\w+)` \| ([\d,]+) ?(MiB|GiB|)(?= \|)", guide)
    units = {"": 0, "MiB": 20, "GiB": 30}
    assert {name: int(number.replace(",", "")) << units[unit] for name, number, unit in rows} == Limits()._asdict()


def test_limits_on_the_command_line(tmp_path: Path) -> None:
    put(tmp_path, "a", b"1\n2\n3\n")

    def run(limit: str) -> subprocess.CompletedProcess[str]:
        command = [PROGRAM, "apply", "--root", str(tmp_path), "--limit", limit]
        return subprocess.run(command, input=HUNKS, capture_output=True, text=True, check=False)

    assert run("hunks=1").returncode == 1
    assert run("hunk=1").returncode == 2 and run("hunks=x").returncode == 2
    assert run("hunks=2,files=1").returncode == 0


def test_the_changes_are_limited_too() -> None:
    changes = tuple(FileChange(name, None, File(b"x")) for name in "ab")
    check_changes(changes, Limits(files=2, total_bytes=2, file_bytes=1))
    for few in (Limits(files=1), Limits(total_bytes=1), Limits(file_bytes=0)):
        with pytest.raises(Refused):
            check_changes(changes, few)


def test_a_new_file_may_not_be_too_large_either(tmp_path: Path) -> None:
    small = Settings(limits=Limits(file_bytes=3))
    assert kinds_of(anypatch.apply(new_file("a", "long text"), tmp_path, settings=small)) == ["limit"]


@given(st.lists(st.sampled_from([b"", b"a", b"aa", b"aaa", b"aaaa", b"aaaaa"]), max_size=9), st.booleans())
def test_a_line_that_is_too_long_is_found_anywhere(lines: list[bytes], final: bool) -> None:
    data = b"\n".join(lines) + b"\n" * final
    longest = max(map(len, data.split(b"\n")))
    try:
        check_file("a", data, Limits(line_bytes=3))
    except Refused as refused:
        assert longest > 3 and refused.problems[0].kind == "limit"
    else:
        assert longest <= 3


def test_lines_are_measured_only_in_large_files() -> None:
    few = Limits(line_bytes=4, lines=2)
    check_file("a", b"ab\ncd\n", few)
    with pytest.raises(Refused):
        check_file("a", b"ab\nabcde", few)


# ── hunks and files ───────────────────────────────────────────────────────────────────────────────


def test_what_counts_as_a_hunk() -> None:
    chunk, rules = Chunk(("a",), ("b",), (), None), MatchPolicy(())
    for count, hunks in (
        (2, (SymbolEdit("f", None, chunks=(chunk,)), SymbolEdit("g", None, "delete"))),
        (3, (SymbolEdit("f", None, chunks=(chunk, chunk)), Hunk("", "x\n", rules))),
        (2, (Merge(("a", "...", "b"), (1,)),)),
        (1, (Hunk("", "x\n", rules),)),
    ):
        patch = Patch("", (Edit("a", hunks), Delete("b")))  # which has none
        check_ops(patch.ops, Limits(hunks=count, file_hunks=count, files=2))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(files=1))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(hunks=count - 1))
        with pytest.raises(Refused):
            check_ops(patch.ops, Limits(file_hunks=count - 1))


def test_far_too_many_hunks_are_refused_before_they_are_read() -> None:
    head, hunk = "--- a/a\n+++ b/a\n", "@@ -1 +1 @@\n-a\n+b\n"
    few = Limits(file_hunks=3)
    check_text(head + hunk * 3, few)
    check_text((head + hunk * 3) * 5, few)
    nested = "*** Begin Patch\n*** Update File: a\n" + "@@ class A\n@@ def b\n-a\n+b\n" * 3
    check_text(nested, few)
    with pytest.raises(Refused) as refused:
        check_text(head + hunk * 4, few)
    assert "4 hunks for one file, and `file_hunks` allows 3" in refused.value.problems[0].detail


Named = list[tuple[str, int]]  # the path of each edit and the line that it changes


def unified(edits: Named) -> str:
    return "".join(f"--- a/{path}\n+++ b/{path}\n@@ -{n} +{n} @@\n-line {n}\n+new {n}\n" for path, n in edits)


def begin_patch(edits: Named) -> str:
    text = "".join(f"*** Update File: {path}\n@@\n-line {n}\n+new {n}\n" for path, n in edits)
    return f"*** Begin Patch\n{text}*** End Patch\n"


def search_replace(edits: Named) -> str:
    return "".join(f"{path}\n<<<<<<< SEARCH\nline {n}\n=======\nnew {n}\n>>>>>>> REPLACE\n" for path, n in edits)


def chunk(edits: Named) -> str:
    return "operations:\n" + "".join(
        f"  - path: {path}\n    op: replace_text\n    marker: |-\n      line {n}\n    payload: |-\n      new {n}\n"
        for path, n in edits
    )


def chunk_v2(edits: Named) -> str:
    return "".join(f"=== file: {path} ===\n--- replace-text\nline {n}\n---\nnew {n}\n=END=\n" for path, n in edits)


def json_objects(edits: Named) -> str:
    return json.dumps(
        [{"file_path": path, "old_string": f"line {n}\n", "new_string": f"new {n}\n"} for path, n in edits], indent=1
    )


def json_one_call(edits: Named) -> str:
    files = dict.fromkeys(path for path, _ in edits)
    lists = {path: [n for other, n in edits if other == path] for path in files}
    calls = [
        {"file_path": path, "edits": [{"old_string": f"line {n}\n", "new_string": f"new {n}\n"} for n in numbers]}
        for path, numbers in lists.items()
    ]
    return "\n".join(map(json.dumps, calls))


def elided(edits: Named) -> str:
    text = ""
    for path in dict.fromkeys(path for path, _ in edits):
        parts = "".join(f"line {n - 1}\nnew {n}\nline {n + 1}\n... existing code ...\n" for p, n in edits if p == path)
        text += f"`{path}`\n```\n... existing code ...\n{parts}```\n\n"
    return text


def symbol_chunks(edits: Named) -> str:
    edited = []
    for path, n in edits:
        around = {"context_before": [f"line {n - 1}"], "context_after": [f"line {n + 1}"]}
        chunk = {**around, "old_lines": [f"line {n}"], "new_lines": [f"new {n}"]}
        edited.append({"relative_path": path, "name_path": "/", "chunks": [chunk]})
    return json.dumps(edited)


FORMATS: dict[str, Callable[[Named], str]] = {
    "unified": unified, "begin-patch": begin_patch, "search-replace": search_replace, "chunk": chunk,
    "chunk-v2": chunk_v2, "json-edits": json_objects, "json-edits in one call": json_one_call, "elided": elided,
    "symbol-chunks": symbol_chunks,
}  # fmt: skip


TALLIED = ("search-replace", "chunk", "chunk-v2", "json-edits", "json-edits in one call")


AROUND = {"nothing": "{}", "prose": "I changed the files as you asked:\n\n{}"}


def tree(root: Path) -> None:
    for name in ("a.txt", "b.txt", "c.txt"):
        (root / name).write_text("".join(f"line {n}\n" for n in range(1, 60)))


def limit_named(report: anypatch.Result) -> str:
    (problem,) = report.problems
    assert problem.kind == "limit", problem
    return problem.detail.rpartition("and ")[2].partition(" allows")[0].strip("`")


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("around", AROUND)
def test_as_many_as_allowed_are_applied_and_one_more_is_refused(tmp_path: Path, name: str, around: str) -> None:
    tree(tmp_path)

    def checked(edits: Named, **limits: int) -> anypatch.Result:
        text = AROUND[around].replace("{}", FORMATS[name](edits))
        format: FormatName | None = "elided" if name == "elided" else None
        return anypatch.preview(text, tmp_path, format=format, settings=Settings(limits=Limits()._replace(**limits)))

    seven = [("a.txt", n) for n in range(3, 59, 8)]
    spread = [(f"{letter}.txt", n) for n in (3, 11, 19) for letter in "abc"]
    assert checked(seven, file_hunks=7, hunks=7, files=1).ok
    assert checked(spread, file_hunks=3, hunks=9, files=3).ok
    beyond = checked(seven, file_hunks=6)
    assert limit_named(beyond) == "file_hunks" and beyond.problems[0].path in ("a.txt", "")
    assert limit_named(checked(seven, hunks=6)) == "hunks"
    assert limit_named(checked(spread, files=2)) == "files"
    assert limit_named(checked(spread, hunks=8)) == "hunks"
    named: FormatName | None = "elided" if name == "elided" else None
    assert anypatch.apply_to(FORMATS[name](seven), {"a.txt": (tmp_path / "a.txt").read_text()}, format=named).ok


@pytest.mark.parametrize("name", TALLIED)
def test_a_long_patch_is_refused_before_it_is_read_to_its_end(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_edits, "_LONG", 0)
    text = FORMATS[name]([("a.txt", n) for n in range(100)])
    with pytest.raises(Refused) as refused:
        api.read(text, tally=Tally(Limits(file_hunks=20)))
    (problem,) = refused.value.problems
    assert problem.path == "a.txt" and problem.detail.startswith("at least ")
    assert int(problem.detail.split()[2]) < 50
    api.read(text, tally=Tally(Limits(file_hunks=100)))


# ── what only looks like too much ─────────────────────────────────────────────────────────────────


def test_text_that_looks_like_edits_is_not_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_edits, "_LONG", 0)
    tree(tmp_path)
    edits = [("a.txt", n) for n in range(20)]
    inner = {name: FORMATS[name](edits) for name in TALLIED}
    indented = "".join(f"      {line}\n" for line in inner["chunk"].split("\n") if line)
    escaped = inner["search-replace"].replace("<<<", "\\<<<").replace("\n===", "\n\\===").replace(">>> ", ">>> X")
    patches = [
        f"operations:\n  - path: new.md\n    op: create_file\n    payload: |-\n{indented}",
        f"new.md\n<<<<<<< SEARCH\n=======\n{escaped}>>>>>>> REPLACE\n",
        json.dumps([{"file_path": "new.json", "content": inner["json-edits"]}]),
        f"<invoke name='Write'><parameter name='file_path'>n</parameter><parameter name='content'>{inner['json-edits']}"
        "</parameter></invoke>",
        "=== file: new.md ===\n--- create-file\n " + inner["chunk-v2"].replace("\n", "\n ") + "\n=END=\n",
    ]
    for text in patches:
        report = anypatch.preview(text, tmp_path, settings=Settings(limits=Limits(file_hunks=3, hunks=3)))
        assert report.ok, (text[:60], report.problems)


def test_edits_that_the_whole_patch_does_not_make_are_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_edits, "_LONG", 0)
    tree(tmp_path)
    skipped = json_objects([("a.txt", n) for n in range(20)]).replace("\n {", "\n{")
    counted = json_objects([("b.txt", 3)])
    text = f'{{"left_out": {skipped}}}\n\n{counted}\n'
    assert anypatch.preview(text, tmp_path, settings=Settings(limits=Limits(file_hunks=3))).ok


# ── what is refused early would be refused late ───────────────────────────────────────────────────


def outcome(text: str, format: str, limits: Limits, tally: Tally | None) -> str:
    """The limit that refuses a text; "unreadable" where it is refused because it can't be read; "" where it isn't."""
    try:
        patch = api.read(text, format, tally)
        check_ops(patch.ops, limits)
    except Refused as refused:
        (problem,) = refused.problems
        return problem.command if problem.kind == "limit" else "unreadable"
    return "unreadable" if patch.problems else ""


def spoil(text: str, rng: random.Random) -> str:
    """A patch with some lines lost, doubled or put elsewhere."""
    lines = text.split("\n")
    for _ in range(rng.randrange(3)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        deed = rng.randrange(4)
        if deed == 0:
            del lines[at : at + rng.randrange(1, 4)]
        elif deed == 1:
            lines[other:other] = lines[at : at + 6]
        elif deed == 2:
            lines[at], lines[other] = lines[other], lines[at]
        else:
            lines[at] = f" {lines[at]}"
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.parametrize("name", TALLIED)
def test_what_is_refused_early_would_be_refused_late(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_edits, "_LONG", 0)
    rng = random.Random(name)
    seen = {"": 0}
    for _ in range(400):
        edits = [(rng.choice(("a.txt", "a.txt", "b.txt", "c.txt")), rng.randrange(9)) for _ in range(rng.randrange(40))]
        text = spoil(FORMATS[name](edits), rng)
        limits = Limits(files=rng.choice((1, 2, 9)), hunks=rng.choice((9, 20, 99)), file_hunks=rng.choice((3, 8, 15)))
        late = outcome(text, name.partition(" ")[0], limits, None)
        early = outcome(text, name.partition(" ")[0], limits, Tally(limits))
        assert bool(early) == bool(late) and ("limit" in early or "limit" not in late), text
        seen[late] = seen.get(late, 0) + 1
    assert len(seen) == 5 and min(seen.values()) > 5, seen
