"""The blocks of an answer: what is found by structure alone, and that the outermost construct wins."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anypatch
from anypatch.answer.blocks import blocks_of
from anypatch.hints import FormatName

CART = "class Cart:\n    def total(self):\n        return 0\n\n    def count(self):\n        return 1\n"
FILES = {"cart.py": CART, "settings.py": "PORT = 80\nHOST = None\nDEBUG = False\n"}
DIFF = "--- a/settings.py\n+++ b/settings.py\n@@ -1,2 +1,2 @@\n-PORT = 80\n+PORT = 8080\n HOST = None\n"
SEARCH = "settings.py\n<<<<<<< SEARCH\nDEBUG = False\n=======\nDEBUG = True\n>>>>>>> REPLACE\n"
BEGIN = "*** Begin Patch\n*** Update File: cart.py\n@@\n-        return 1\n+        return 2\n*** End Patch\n"
CALL = json.dumps({"file_path": "cart.py", "old_string": "return 0", "new_string": "return 5"}) + "\n"
TOTAL = "```python\n    def total(self):\n        return sum(self.items)\n```\n"


def kinds(answer: str) -> list[str]:
    return [block.kind for block in blocks_of(answer.split("\n"))]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (DIFF, ["unified"]),
        (f"```diff\n{DIFF}```\n", ["unified"]),
        (f"Text.\n\n{SEARCH}\nMore.\n\n```\n{SEARCH}```\n", ["search-replace", "search-replace"]),
        (f"{BEGIN}\n{DIFF}", ["begin-patch", "unified"]),
        (f"Call:\n\n{CALL}\n```json\n{CALL}```\n", ["json", "json"]),
        ('```json\n{"name": "shop"}\n```\n', ["sketch"]),
        ("```python\nx = 1\n```\n\n~~~\ny = 2\n~~~\n", ["sketch", "sketch"]),
        ('<file path="a.py">\nx = 1\n</file>\n', ["file"]),
        (f"```bash\napply_patch <<'EOF'\n{BEGIN}EOF\n```\n", ["begin-patch"]),
        ("```bash\ncat > a.py <<'EOF'\nx = 1\nEOF\n```\n", ["sketch"]),
    ],
)
def test_what_an_answer_holds(answer: str, found: list[str]) -> None:
    assert kinds(answer) == found


@pytest.mark.parametrize(
    "answer",
    [
        f"README.md\n````markdown\n# How to patch\n\n```diff\n{DIFF}```\n````\n",  # in a longer fence
        f"Look:\n\n````\n```diff\n{DIFF}```\n````\n\nThat is how.\n",
        json.dumps({"file_path": "notes.txt", "content": DIFF}),  # in a JSON string
        f'<file path="notes.txt">\n{DIFF}</file>\n',  # in a file's contents
        f"fix.patch\n```diff\n{DIFF}```\n",
        "*** Begin Patch\n*** Add File: notes.txt\n"
        + "".join(f"+{line}\n" for line in SEARCH.split("\n"))
        + "*** End Patch\n",
    ],
)
def test_a_patch_inside_another_construct_is_content(answer: str) -> None:
    after = dict(anypatch.apply_to(answer, FILES, accept="all").files)
    assert {path: after[path] for path in FILES} == FILES


def test_a_page_keeps_its_fences() -> None:
    page = "# Install\n\n```bash\nmake\n```\n\nDone.\n"
    result = anypatch.apply_to(f"README.md\n```markdown\n{page}```\n", {}, accept="file")
    assert dict(result.files) == {"README.md": page}


@pytest.mark.parametrize("info", ["", "python"])
def test_a_fence_that_only_holds_a_path_names_the_file_of_the_block_below(info: str) -> None:
    path, _, block = SEARCH.partition("\n")
    answer = f"```python\n{path}\n```{info}\n{block}```\n"
    assert kinds(answer) == ["fence", "search-replace"]
    assert "DEBUG = True" in anypatch.apply_to(answer, FILES).files[path]


PAGE = "Run it:\n```{}\nmake\n```\n"
EDITS_OF_A_PAGE = {
    "search-replace": "README.md\n{}<<<<<<< SEARCH\nRun it.\n=======\n{}>>>>>>> REPLACE\n{}\n",
    "begin-patch": "{}*** Begin Patch\n*** Update File: README.md\n@@\n-Run it.\n{}*** End Patch\n{}\n",
    "whole-file": "README.md\n{}{}{}\n",
}


@pytest.mark.parametrize("inner", ["", "bash"])
@pytest.mark.parametrize("outer", ["", "```", "```markdown", "````", "~~~"])
@pytest.mark.parametrize("format", EDITS_OF_A_PAGE)
def test_an_answer_that_is_cut_off_loses_no_text(format: FormatName, outer: str, inner: str) -> None:
    """Cut off after any line, it is refused or does all that the whole answer does, detected and named alike."""
    if format == "whole-file" and (not outer or not (inner or outer in ("````", "~~~"))):
        return  # nothing tells which fence ends the page
    page = PAGE.format(inner)
    shown = "".join(f"+{line}\n" for line in page.splitlines()) if format == "begin-patch" else page
    closer = outer.rstrip("markdown")
    answer = EDITS_OF_A_PAGE[format].format(outer and f"{outer}\n", shown, closer and f"{closer}\n") + "Done.\n"
    lines = answer.splitlines(keepends=True)
    for end in range(1, len(lines) + 1):
        cut = "".join(lines[:end])
        detected = anypatch.apply_to(cut, {"README.md": "Run it.\n"}, accept="all")
        named = anypatch.apply_to(cut, {"README.md": "Run it.\n"}, format=format)
        for result in (detected, named):
            assert result.files["README.md"] == (page if result.ok else "Run it.\n"), (cut, result.problems)
        assert detected.ok == named.ok, cut
    assert detected.ok


def test_an_answer_that_ends_inside_a_fence_is_cut_off() -> None:
    assert anypatch.apply_to(f"{DIFF}\n```python\nx = 1\n", FILES).kinds == ("truncated",)
    assert anypatch.apply_to(f"```diff\n{DIFF}```\n```\n", FILES).ok  # one fence too many
    assert anypatch.apply_to(f"```diff\n{DIFF}```\n```\nDone.\n", FILES).ok


def test_thinking_is_a_block_that_is_not_used() -> None:
    result = anypatch.apply_to(f"<think>\n{SEARCH}</think>\n{DIFF}", FILES)
    assert result.ok and "DEBUG = False" in result.files["settings.py"]
    assert [(block.read_as, block.became) for block in result.blocks] == [
        ("thinking", "unused"),
        ("unified", "applied"),
    ]


PIECES = {"unified": f"```diff\n{DIFF}```\n", "search-replace": SEARCH, "begin-patch": BEGIN, "sketch": TOTAL}
WORDS = st.sampled_from(
    [
        "",
        "Don't apply this:",
        "Vorher:",
        "请不要这样修改：",
        "Например, так:",
        "Option 2 (instead):",
        "blorp frum zint.",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=4, unique=True), st.data())
def test_words_around_blocks_change_nothing(names: list[str], data: st.DataObject) -> None:
    """Prose, in any language, never changes what the blocks of an answer do."""
    plain = "\n\n".join(f"In `cart.py`:\n\n{PIECES[name]}" for name in names)
    retold = "\n\n".join(f"{data.draw(WORDS)} `cart.py`\n\n{PIECES[name]}\n{data.draw(WORDS)}\n" for name in names)
    first, second = (anypatch.apply_to(answer, FILES, accept="all") for answer in (plain, retold))
    assert first.ok and dict(first.files) == dict(second.files)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=6))
def test_every_fence_and_marked_block_has_an_entry(names: list[str]) -> None:
    answer = "\n".join(f"{PIECES[name]}\nText.\n" for name in names)
    result = anypatch.apply_to(answer, FILES)
    assert [block.read_as for block in result.blocks] == names
    assert all(block.became for block in result.blocks)
    lines = answer.split("\n")
    covered = {row for block in result.blocks for row in range(block.first - 1, block.last)}
    assert all(row in covered for row, line in enumerate(lines) if line.startswith(("```", "<<<<", "***", "@@")))


@pytest.mark.parametrize(
    "line", ["```\n", "```python\n", "```python\nx\n", "```python\na\n```python\nb\n```\n", TOTAL, SEARCH, "<file path=\"a\">\n", "{\n"]
)  # fmt: skip
def test_long_answers_are_read_in_time(line: str) -> None:
    def seconds(count: int) -> float:
        begin = time.process_time()
        blocks_of((line * count).split("\n"))
        return time.process_time() - begin

    small = max(min(seconds(500) for _ in range(3)), 0.002)
    assert seconds(5_000) < 60 * small
