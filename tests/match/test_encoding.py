"""Bytes outside an edit never change, and what an edit writes is in the file's own encoding, or refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.match.encoding import declared, encoding_of
from anypatch.text import decode, encode

OLD, NEW = "old mark", "new mark"


def unified(old: str, new: str) -> str:
    return f"--- a/f.txt\n+++ b/f.txt\n@@ @@\n-{old}\n+{new}\n"


PATCHES = {
    "unified": unified(OLD, NEW),
    "unified, CRLF": unified(OLD, NEW).replace("\n", "\r\n"),
    "begin-patch": f"*** Begin Patch\n*** Update File: f.txt\n@@\n-{OLD}\n+{NEW}\n*** End Patch\n",
    "search-replace": f"f.txt\n<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
    "search-replace, BOM": f"\ufefff.txt\n<<<<<<< SEARCH\n{OLD}\n=======\n{NEW}\n>>>>>>> REPLACE\n",
    "json-edits": json.dumps({"file_path": "f.txt", "old_string": OLD, "new_string": NEW}),
    "chunk": f"operations:\n  - path: f.txt\n    op: replace_text\n    marker: {OLD}\n    payload: {NEW}\n",
    "chunk-v2": f"=== file: f.txt ===\n--- replace-text\n{OLD}\n---\n{NEW}\n=END=\n",
}
LINES = st.sampled_from(
    [b"", b"  ", b"a", b"a ", b"\ta", b"\xe9", b"caf\xe9 \xff", b"\xc3\xa9", b"\xed\xa0\x80", b"a\x0cb", b"a\x0b", b"# c",
     b"\x1b[0m", b"a\xc2\x85b", b"a\xe2\x80\xa8b", b"\xef\xbb\xbfx", b"a\x00b and more text beside it", b"\xf0\x9f\x98\x80"]
)  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Draw a file with odd bytes and line endings that has the marked line once, and the file expected afterwards."""
    end = st.sampled_from([draw(st.sampled_from([b"\n", b"\r\n"]))] if draw(st.booleans()) else [b"\n", b"\r\n"])
    lines = [draw(LINES) + draw(end) for _ in range(draw(st.integers(0, 8)))]
    at = draw(st.integers(0, len(lines)))
    before = [*lines[:at], OLD.encode() + draw(end), *lines[at:]]
    if draw(st.booleans()):
        before[-1] = before[-1].rstrip(b"\r\n")
    after = [line.replace(OLD.encode(), NEW.encode()) for line in before]
    bom = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return bom + b"".join(before), bom + b"".join(after)


@pytest.mark.parametrize("name", PATCHES)
@settings(max_examples=80, deadline=None)
@given(pair=files())
def test_nothing_outside_the_edit_changes(name: str, pair: tuple[bytes, bytes]) -> None:
    before, after = pair
    done = anypatch.apply_to(PATCHES[name], {"f.txt": before})
    assert done.ok, done.problems
    made = done.files["f.txt"]
    assert isinstance(made, bytes)
    if name.startswith("chunk"):  # the new line has the line ending of most lines
        at = before.index(OLD.encode()) + len(OLD)
        made, after = (text[:at] + text[at:].removeprefix(b"\r") for text in (made, after))
    assert made == after


def test_halves_of_characters_stay_and_are_never_written() -> None:
    """A text in memory may hold halves of surrogate pairs, which represent no bytes."""
    for text in ("x = 1\ns = '\ud800'\n", "x = 1\n\ud83d\udce9\udfff é\n"):
        done = anypatch.apply_to(unified("x = 1", "x = 2"), {"f.txt": text})
        assert done.files["f.txt"] == text.replace("x = 1", "x = 2")
    half = json.dumps({"file_path": "f.txt", "old_string": "x", "new_string": "\ud83d"})
    assert [p.kind for p in anypatch.apply_to(half, {"f.txt": "x\n"}).problems] == ["not_text"]


def test_mixed_halves_and_bytes_are_encoded_apart() -> None:
    assert encode("\udce9\ud800é") == b"\xe9\xed\xa0\x80\xc3\xa9"
    assert decode(encode("\udce9é")) == "\udce9é"


DECLARED = {
    "# -*- coding: latin-1 -*-\n": "iso8859-1",
    "#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n": "cp1252",
    "# encoding: koi8-r\n": "koi8-r",
    "// -*- mode: c; coding: euc-jp -*-\n": "euc_jp",
    "int x;\n// vim: set fenc=cp1251 :\n": "cp1251",
    "<?xml version='1.0' encoding='ISO-8859-15'?>\n": "iso8859-15",
    "<html>\n<head><meta charset=windows-1252></head>\n": "cp1252",
    "<html><head><meta http-equiv='Content-Type' content='text/html; charset=Shift_JIS'>": "shift_jis",
    '@charset "iso-8859-1";\n': "iso8859-1",
    'msgid ""\n"Content-Type: text/plain; charset=ISO-8859-2\\n"\n': "iso8859-2",
    "\\documentclass{a}\n\\usepackage[latin1]{inputenc}\n": "iso8859-1",
    "# coding: utf-8\n": "",
    "# coding: nonsense\n": "",
    "<?xml version='1.0' encoding='utf-16'?>\n": "",  # can't be: this is ASCII
    "s = '<meta charset=latin-1>'\n": "",
}


@pytest.mark.parametrize(("text", "encoding"), DECLARED.items(), ids=range(len(DECLARED)))
def test_declared_encodings(text: str, encoding: str) -> None:
    assert declared(text.encode()) == encoding


def test_bytes_count_more_than_a_declaration() -> None:
    assert encoding_of("# coding: latin-1\né\n".encode()) == ""
    assert encoding_of(b"# coding: latin-1\n\xe9\n") == "iso8859-1"
    assert encoding_of(b"# coding: ascii\n\xe9\n") == "?"
    assert encoding_of(b"\xe9\n") == "?"
    assert encoding_of("é ü ".encode() + b"\xe9\n") == ""
    assert encoding_of(b"\xef\xbb\xbf\xe9") == ""


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"])
def test_wide_text_without_a_mark_is_refused(encoding: str) -> None:
    data = {"f.txt": "hello\nwörld\n".encode(encoding)}
    create = "operations:\n  - path: f.txt\n    op: create_file\n    payload: hello\n"
    append = "operations:\n  - path: f.txt\n    op: append_text\n    payload: hello\n"
    for patch in (*PATCHES.values(), create, append, "f.txt\n```\nhello\nthere\n```\n"):
        done = anypatch.apply_to(patch, data, overwrite=True)
        assert [problem.kind for problem in done.problems] == ["not_text"], patch
        assert done.files == data


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", PATCHES)
def test_utf_16_with_a_mark_is_edited_in_place(name: str, encoding: str) -> None:
    before, after = (f"\ufeffwörld\r\n{line}\r\n😀 end".encode(encoding) for line in (OLD, NEW))
    done = anypatch.apply_to(PATCHES[name], {"f.txt": before})
    assert done.ok, done.problems
    assert done.files["f.txt"] == after
    whole = anypatch.apply_to("f.txt\n```\nhello\nthere\n```\n", {"f.txt": before}, overwrite=True)
    assert [problem.kind for problem in whole.problems] == ["not_text"]


@pytest.mark.parametrize("patch", [unified("café", "thé"), unified("x", "thé"), unified("x", "5 €")])
def test_a_file_that_declares_no_encoding_takes_ascii_alone(patch: str) -> None:
    before = "café\nx\n".encode("latin-1")
    result = anypatch.apply_to(patch, {"f.txt": before})
    assert [problem.kind for problem in result.problems] == ["not_text"]
    assert result.files["f.txt"] == before
    assert anypatch.apply_to(unified("x", "y"), {"f.txt": before}).files["f.txt"] == before.replace(b"x", b"y")
