"""Laws that hold for every format present: rendering and planning are inverse, nothing raises, disk equals memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anypatch
from anypatch import PatchError, api
from anypatch.api import format_given
from anypatch.author.make import write_changes
from anypatch.formats import SHOWN, Format
from anypatch.model import File, FileChange
from anypatch.text import decode
from support.examples import examples_of
from support.texts import FORMATS, WORDS, edited, texts


def bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pair=edited(), path=st.sampled_from(["a.txt", "a.py", "a.cpp", "dir/b c.xml"]))
def test_make_then_apply_gives_the_change(format: Format, pair: tuple[str, str], path: str) -> None:
    before, after = map(bytes_of, pair)
    try:
        patch = anypatch.make({path: before}, {path: after}, format.name)
    except PatchError as refused:
        assert [p.kind for p in refused.problems] == ["cannot_say"]
        return
    if before == after:
        return
    # A shown file that loses most of itself is only written where that is asked for.
    result = anypatch.apply_to(patch, {path: before}, format=format_given(format.name), overwrite=True)
    assert result.ok, (patch, result.problems)
    assert result.files[path] == after, patch


@pytest.mark.parametrize("format", FORMATS)
@settings(max_examples=30, deadline=None)
@given(text=texts())
def test_render_of_new_and_deleted_files(format: Format, text: str) -> None:
    data = bytes_of(text)
    for before, after in ((None, File(data)), (File(data), None)):
        try:
            patch = write_changes((FileChange("d/n.txt", before, after),), format.name)
        except PatchError:
            continue
        given: dict[str, str | bytes] = {"d/n.txt": data} if before else {}
        result = anypatch.apply_to(patch, given, format=format_given(format.name))
        assert result.ok, (patch, result.problems)
        assert dict(result.files) == ({"d/n.txt": decode(data)} if after else {})


@pytest.mark.parametrize("format", FORMATS)
def test_what_can_be_said_is_said(format: Format) -> None:
    """The refusals above are not the rule: plain changes are sayable in every format that claims them."""
    plain = FileChange("a.txt", File(b"one\ntwo\nthree\n"), File(b"one\n2\nthree\nfour\n"))
    crlf = FileChange("b.txt", File(b"one\r\ntwo\r\n"), File(b"one\r\n2\r\n"))
    bare = FileChange("c.txt", File(b"one\ntwo"), File(b"1\ntwo"))
    changes = [plain, crlf, bare]
    if "create" in format.can:
        changes.append(FileChange("new.txt", None, File(b"hello\n\nthere\n")))
    if "delete" in format.can:
        changes.append(FileChange("old.txt", File(b"bye\n"), None))
    result = anypatch.apply_to(
        write_changes(tuple(changes), format.name),
        {c.path: c.before.data for c in changes if c.before},
        format=format_given(format.name),
    )
    assert result.ok, result.problems
    assert result.files == {c.path: c.after.data for c in changes if c.after}


@settings(max_examples=100, deadline=None)
@given(lines=st.lists(WORDS | st.text(max_size=8), max_size=30), format=st.sampled_from(api.formats()))
def test_random_text_never_raises(lines: list[str], format: Format) -> None:
    text = "\n".join(lines)
    patch = format.parse(text)
    for problem in patch.problems:
        assert problem.detail and problem.patch_line
    report = anypatch.apply_to(text, {"a": "a\nb\n"}, format=format_given(format.name))
    assert report.ok == (not report.problems)
    assert 0 <= format.sniff(text) <= 100


@pytest.mark.parametrize("format", FORMATS)
def test_examples_apply_and_are_taught(format: Format) -> None:
    assert examples_of(format.name)
    for example in examples_of(format.name):
        result = anypatch.apply_to(example.patch, example.before, format=format.name)
        assert result.ok, result.problems
        assert result.plan.patch.format == format.name
        assert dict(result.files) == dict(example.after), example.title
        assert example.patch in format.prompt, "the prompt is built from the examples"


def test_each_example_sniffs_to_its_own_format_and_no_other() -> None:
    for format in api.formats():
        for example in examples_of(format.name) if format.name not in SHOWN else ():
            for dressed in (
                example.patch,
                f"Here you are:\n\n```\n{example.patch}```\nDone.\n",
                example.patch.replace("\n", "\r\n"),
            ):
                scores = dict(api.scores(dressed))
                assert scores.pop(format.name) >= 50
                assert all(score < 30 for score in scores.values()), (format.name, scores)


@pytest.mark.parametrize("format", FORMATS)
def test_a_second_application_is_no_second_edit(format: Format, tmp_path: Path) -> None:
    """Applied again, an example is refused or gives the same tree once more, if it isn't a pure insertion."""
    for number, example in enumerate(examples_of(format.name)):
        root = tmp_path / str(number)
        for name, text in example.before.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        assert anypatch.apply(example.patch, root, format=format.name).ok
        once = {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".anypatch" not in p.parts}
        again = anypatch.apply(example.patch, root, format=format.name)
        assert not again.ok
        assert once == {p: p.read_bytes() for p in root.rglob("*") if p.is_file() and ".anypatch" not in p.parts}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"--- \n-\n--- \na", b"--- \n-\n--- \n-\n--- \na"),
        (b"operations:\n\na", b"operations:\n\noperations:\n\na"),
        (b"b\n\xe2\x80\xa8\n  a", b"b\na\n  a"),  # U+2028 isn't blank
    ],
)
@pytest.mark.parametrize("format", FORMATS)
def test_lines_beside_others_like_them_are_told_apart(format: Format, before: bytes, after: bytes) -> None:
    try:
        patch = write_changes((FileChange("a.txt", File(before), File(after)),), format.name)
    except PatchError as refused:
        assert [p.kind for p in refused.problems] == ["cannot_say"]
        return
    assert anypatch.apply_to(patch, {"a.txt": before}, format=format_given(format.name)).files["a.txt"] == after
