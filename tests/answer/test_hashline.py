"""Lines named by number and hash: sections, anchors of JSON calls, and both written again."""

from __future__ import annotations

import pytest

from anypatch.answer.hashline import anchored, anchors, is_document, operations, section, sections_end
from anypatch.model import Claims, Delete, Edit, Hunk, Move

TAG = ((0, "BD31"),)


def hunks_of(text: str) -> list[tuple[str, Claims]]:
    (edit,), problems = operations(f"[a.py#BD31]\n{text}")
    assert isinstance(edit, Edit) and not problems
    return [(hunk.new, hunk.claims) for hunk in edit.hunks if isinstance(hunk, Hunk)]


@pytest.mark.parametrize(
    ("text", "new", "claims"),
    [
        ("PUT 2.=4:\n+x\n+y", "x\ny\n", Claims(2, 4, hashes=TAG)),
        ("PUT 2:\n+x", "x\n", Claims(2, 2, hashes=TAG)),
        ("SWAP 2.=4:\n+", "\n", Claims(2, 4, hashes=TAG)),
        ("PUT <2:\n+x", "x\n", Claims(2, 1, hashes=TAG)),
        ("INS.PRE 2:\n+x", "x\n", Claims(2, 1, hashes=TAG)),
        ("PUT >2:\n+x", "x\n", Claims(3, 2, hashes=TAG)),
        ("INS.POST 2:\n+x", "x\n", Claims(3, 2, hashes=TAG)),
        ("INS.HEAD:\n+x", "x\n", Claims(1, 0, hashes=TAG)),
        ("PUT >$:\n+x", "x\n", Claims(at_end=True, hashes=TAG)),
        ("INS.TAIL:\n+x", "x\n", Claims(at_end=True, hashes=TAG)),
        ("CUT 2.=4", "", Claims(2, 4, hashes=TAG)),
        ("DEL 2", "", Claims(2, 2, hashes=TAG)),
    ],
)
def test_operations(text: str, new: str, claims: Claims) -> None:
    assert hunks_of(text) == [(new, claims)]


def test_the_hunks_of_a_section_are_one_edit() -> None:
    ops, problems = operations("*** Begin Patch\n[a.py#BD31]\nCUT 1\n\nPUT 3:\n+x\n[b.py#0000]\nREM\n*** End Patch\n")
    assert problems == []
    first, check, gone = ops
    assert isinstance(first, Edit) and isinstance(check, Edit)
    assert [len(edit.hunks) for edit in (first, check)] == [2, 1]
    assert gone == Delete("b.py", 8)


def test_a_header_alone_only_compares_the_hash() -> None:
    assert hunks_of("") == [("", Claims(1, 0, hashes=TAG))]


def test_a_file_is_moved() -> None:
    ops, _ = operations("[a.py#BD31]\nMV b.py\n")
    assert ops[-1] == Move("a.py", "b.py", False, 2)


@pytest.mark.parametrize(
    "text",
    ["PUT 2*:\n+x", "PUT @r:\n+x", "PUT 2", "PUT 2:", "CUT 2\n+x", "CUT <2", "PUT <2.=3:\n+x", "hello", "REM\nCUT 1"],
)
def test_what_is_not_understood_is_refused(text: str) -> None:
    ops, (problem,) = operations(f"[a.py#BD31]\n{text}")
    assert (ops, problem.kind) == ([], "bad_patch")
    assert problem.patch_line in (2, 3)


def test_operations_need_a_header() -> None:
    assert operations("CUT 2\n")[0] == []
    assert is_document("[a.py#BD31]\nCUT 2") and is_document("*** Begin Patch\n[a.py#BD31]")
    assert not is_document("[1, 2]") and not is_document("")


def test_the_end_of_sections() -> None:
    lines = ["[a.py#BD31]", "PUT 2:", "+x", "", "[b.py#0000]", "CUT 1", "", "That is all."]
    assert sections_end(lines, 0) == 6


@pytest.mark.parametrize("verb", ["replace", "append", "prepend"])
@pytest.mark.parametrize("anchor", ["12:a3", "12#VK"])
def test_anchors_are_read_as_they_are_written(verb: str, anchor: str) -> None:
    hunk = anchored(verb, (anchor, ""), ["x"], 1)
    assert hunk is not None
    assert anchors(hunk)["op"] == verb
    assert anchors(hunk)["pos"] == anchor


@pytest.mark.parametrize("anchor", ["12", "12:zz", "12#AA", "a3"])
def test_other_anchors_are_unknown(anchor: str) -> None:
    assert anchored("replace", (anchor, ""), ["x"], 1) is None


def test_sections_are_read_as_they_are_written() -> None:
    text = "[a.py#BD31]\nPUT 2.=4:\n+x\nPUT <7:\n+y\nCUT 9.=9\nPUT >$:\n+z"
    (edit,), _ = operations(text)
    assert isinstance(edit, Edit)
    assert section("a.py", [hunk for hunk in edit.hunks if isinstance(hunk, Hunk)]) == text
