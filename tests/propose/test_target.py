"""Which file a fence is about: the tree tells, in any language."""

from __future__ import annotations

import pytest
from sketches import NEW_TOTAL, ROUNDED, STORE, changed, fence, outcome, read, rules

from anypatch.propose import PathIndex, Unused, find_target


@pytest.mark.parametrize(
    "answer",
    [
        f"```python src/store.py\n{NEW_TOTAL}\n```",
        f"```src/store.py\n{NEW_TOTAL}\n```",
        f"```python:src/store.py\n{NEW_TOTAL}\n```",
        f"```python title=src/store.py\n{NEW_TOTAL}\n```",
        f"**src/store.py**\n\n{fence(NEW_TOTAL)}",
        f"### `store.py`:\n{fence(NEW_TOTAL)}",
        f"1. src/store.py\n{fence(NEW_TOTAL)}",
        f"`src/store.py`:\n{fence(NEW_TOTAL)}",
        fence("# src/store.py\n" + NEW_TOTAL),
        f"I would change store.py like this, which rounds the sum:\n\n{fence(NEW_TOTAL)}",
        f"Ändere die Methode in `src/store.py` so:\n\n{fence(NEW_TOTAL)}",
        f"把src/store.py文件改成这样：\n\n{fence(NEW_TOTAL)}",
        f"/home/me/project/src/store.py\n{fence(NEW_TOTAL)}",
    ],
)
def test_a_method_is_replaced_wherever_its_file_is_named(answer: str) -> None:
    assert rules(outcome(answer, {"src/store.py": STORE})) == ["symbol"]
    assert changed(answer, {"src/store.py": STORE}) == {"src/store.py": ROUNDED}


@pytest.mark.parametrize(
    "label", ["**src/tax.py**", "### Datei: `src/tax.py`", "文件：src/tax.py", "src/tax.py", "**tax.py**"]
)
def test_a_label_makes_a_new_file(label: str) -> None:
    path = "src/tax.py" if "src" in label else "tax.py"
    assert changed(f"{label}\n{fence('RATE = 0.19')}", {"src/store.py": STORE}) == {path: "RATE = 0.19\n"}


@pytest.mark.parametrize("heading", ["## Node.js", "### Input/Output", "## Vue.js:", "# ASP.NET"])
def test_a_heading_is_only_a_label_if_the_tree_has_it_or_it_holds_a_slash(heading: str) -> None:
    results = outcome(f"{heading}\n{fence('run();', 'js')}", {"src/app.js": "start();\n"})
    assert isinstance(results[0], Unused)


def test_the_comment_that_names_the_file_is_not_part_of_it_unless_the_file_has_it() -> None:
    text = "# store.py\nLIMIT = 1\nRATE = 2\n"
    answer = fence("# store.py\nLIMIT = 3\nRATE = 2")
    assert changed(answer, {"store.py": text}) == {"store.py": text.replace("LIMIT = 1", "LIMIT = 3")}
    assert changed(fence("# src/new.py\nLIMIT = 3"), {"store.py": text}) == {"src/new.py": "LIMIT = 3\n"}


def test_a_name_that_two_files_share_is_not_guessed() -> None:
    results = outcome(f"In `store.py`:\n{fence(NEW_TOTAL)}", {"a/store.py": STORE, "b/store.py": STORE})
    assert results == [Unused(0, "Nothing above it names a file of the tree; there is no store.py.")]


@pytest.mark.parametrize(
    ("info", "path"), [("bash", "store.py"), ("console", "store.py"), ("text", "store.py"), ("output", "run.sh")]
)
def test_commands_and_output_propose_nothing(info: str, path: str) -> None:
    results = outcome(f"**{path}**\n{fence('def load(path):', info)}", {"store.py": STORE})
    assert results == [Unused(0, "It is a command or its output.")]


@pytest.mark.parametrize(
    ("info", "path"), [("bash", "run.sh"), ("text", "notes.txt"), ("sh", ".env"), ("bash", "Makefile.sh")]
)
def test_unless_the_label_has_that_suffix(info: str, path: str) -> None:
    assert list(changed(f"**{path}**\n{fence('echo 1', info)}", {"store.py": STORE})) == [path]


def test_the_file_of_the_fence_before_goes_on() -> None:
    answer = f"In `store.py`:\n{fence(NEW_TOTAL)}and\n{fence('def load(path):' + chr(10) + '    return {}')}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", "symbol"]


def test_a_file_that_the_tree_does_not_have_is_not_the_one_before() -> None:
    answer = f"In `store.py`:\n{fence(NEW_TOTAL)}and in `other/tax.py`:\n{fence(NEW_TOTAL)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", ""]


def test_paths_are_found_by_path_and_by_tail() -> None:
    index = PathIndex(["src/a/util.py", "src/b/util.py", "src/main.py"])
    assert index.find("src/a/util.py") == index.find("./src/a/util.py") == "src/a/util.py"
    assert index.find("a/util.py") == index.find("/root/src/a/util.py") == "src/a/util.py"
    assert index.find("main.py") == "src/main.py"
    assert index.find("util.py") is None
    index.add("lib/main.py")
    assert index.find("main.py") is None and "lib/main.py" in index


def test_a_target_keeps_the_path_as_it_is_written() -> None:
    (sketch,) = read(f"`main.py`\n{fence('x = 1')}")
    target = find_target(sketch, PathIndex(["src/main.py"]))
    assert target is not None and (target.path, target.written, target.own) == ("src/main.py", "main.py", True)


def test_a_person_may_choose_the_file() -> None:
    (sketch,) = read(f"`main.py`\n{fence('# a.py' + chr(10) + 'x = 1')}")
    target = find_target(sketch._replace(path="b.py"), PathIndex(["src/main.py"]))
    assert target is not None and (target.path, target.own) == ("b.py", True)
