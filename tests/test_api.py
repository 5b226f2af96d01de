"""The library's calls: answers that aren't text, files that are read when they are needed, what an answer does."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import anypatch

FILES = {"a.py": "a = 1\nb = 2\nc = 3\n"}
AFTER = {"a.py": "a = 1\nb = 3\nc = 3\n"}
DIFF = "--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 3\n c = 3\n"
BLOCK = "a.py\n<<<<<<< SEARCH\nb = 2\n=======\nb = 3\n>>>>>>> REPLACE\n"
EDIT = {"path": "a.py", "old_str": "b = 2", "new_str": "b = 3"}
TOOL_USE = {
    "type": "tool_use",
    "id": "t",
    "name": "str_replace_based_edit_tool",
    "input": EDIT | {"command": "str_replace"},
}
FUNCTION = {"name": "edit", "arguments": json.dumps({"path": "a.py", "old_string": "b = 2", "new_string": "b = 3"})}
TEXT = {"type": "text", "text": f"Here:\n```diff\n{DIFF}```"}


class Model:
    """As the SDKs of vendors make them, by pydantic."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def model_dump(self) -> dict[str, Any]:
        return self.values


@pytest.mark.parametrize(
    "answer",
    [
        EDIT,
        [EDIT],
        TOOL_USE,
        [{"type": "text", "text": "I'll edit it."}, TOOL_USE],
        (Model(**TOOL_USE),),
        {"id": "c", "type": "function", "function": FUNCTION},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": FUNCTION}]},
        [
            {"type": "message", "content": [{"type": "output_text", "text": "ok"}]},
            {"type": "function_call", **FUNCTION},
        ],
        [TEXT],
        {"role": "assistant", "content": TEXT["text"]},
        {"role": "assistant", "content": [{"type": "thinking", "thinking": BLOCK}, TEXT]},
        [{"role": "user", "content": BLOCK.replace("3", "4")}, {"role": "assistant", "content": TEXT["text"]}],
    ],
)
def test_what_an_sdk_gives_is_applied_as_it_is(answer: Any) -> None:
    result = anypatch.apply_to(answer, FILES)
    assert result.ok, result.problems
    assert result.files == AFTER and anypatch.same_effect(answer, DIFF, FILES)


@pytest.mark.parametrize("answer", [{}, [], [{"role": "user", "content": BLOCK}], {"role": "assistant", "content": []}])
def test_what_holds_no_edit_is_refused(answer: Any) -> None:
    result = anypatch.apply_to(answer, FILES)
    assert not result.ok and result.files == FILES


@pytest.mark.parametrize("answer", [None, b"text", 3, object()])
def test_what_is_no_answer_is_a_mistake_of_the_caller(answer: Any) -> None:
    with pytest.raises(TypeError):
        anypatch.apply_to(answer, FILES)


def test_values_go_to_a_directory_too(tmp_path: Any) -> None:
    (tmp_path / "a.py").write_text(FILES["a.py"])
    assert anypatch.preview(TOOL_USE, tmp_path).ok and anypatch.apply(TOOL_USE, tmp_path).ok
    assert (tmp_path / "a.py").read_text() == AFTER["a.py"]


# ── reading only what is needed ──────────────────────────────────────────────────────────────────


class Counting(Mapping[str, str]):
    """Files that are read when they are asked for, as from a container."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files, self.read, self.listed = files, list[str](), 0

    def __getitem__(self, path: str) -> str:
        self.read.append(path)
        return self.files[path]

    def __contains__(self, path: object) -> bool:
        return path in self.files

    def __iter__(self) -> Iterator[str]:
        self.listed += 1
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)


@pytest.mark.parametrize("patch", [DIFF, BLOCK, json.dumps(EDIT), DIFF.replace("b = 2", "b = 9")])
def test_a_path_that_exists_as_written_is_read_once_and_nothing_else(patch: str) -> None:
    tree = Counting({**FILES, **{f"pkg/m{number}.py": "x = 1\n" for number in range(5000)}})
    result = anypatch.apply_to(patch, tree)
    assert (tree.read, tree.listed) == (["a.py"], 0)
    assert result.files["pkg/m7.py"] == "x = 1\n" and len(result.files) == 5001


def test_the_files_that_come_back_are_a_mapping_of_their_own() -> None:
    given = {"a.py": "a\n", "b.py": "b\n", ".git/config": "x\n"}
    patch = "--- a/a.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n--- /dev/null\n+++ b/c.py\n@@ -0,0 +1 @@\n+c\n"
    result = anypatch.apply_to(patch, given)
    assert (
        result.files == {"b.py": "b\n", ".git/config": "x\n", "c.py": "c\n"}
        and len(result.files) == 3
        and "a.py" not in result.files
    )
    given["b.py"] = "other\n"
    assert result.files["b.py"] == "b\n"
    result.files["b.py"] = "mine\n"
    del result.files["c.py"]
    assert result.files == {"b.py": "mine\n", ".git/config": "x\n"}
    for path in ("a.py", "c.py"):
        with pytest.raises(KeyError):
            del result.files[path]
    assert anypatch.apply_to(patch, {"a.py": b"a\n"}).files["c.py"] == b"c\n"


# ── what an answer does ──────────────────────────────────────────────────────────────────────────


def test_the_effect_is_the_same_in_every_format() -> None:
    changes = anypatch.effect(DIFF, FILES)
    assert [(c.path, c.before and c.before.data, c.after and c.after.data) for c in changes] == [
        ("a.py", FILES["a.py"].encode(), AFTER["a.py"].encode())
    ]
    for other in (BLOCK, EDIT):
        assert anypatch.effect(other, FILES) == changes and anypatch.same_effect(DIFF, other, FILES)


def test_another_effect_and_none_at_all_are_not_the_same() -> None:
    assert not anypatch.same_effect(DIFF, BLOCK.replace("= 3", "= 4"), FILES)
    gone = BLOCK.replace("= 2", "= 9")
    assert not anypatch.same_effect(gone, gone, FILES)
    with pytest.raises(anypatch.PatchError):
        anypatch.effect(gone, FILES)
