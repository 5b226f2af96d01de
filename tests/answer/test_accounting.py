"""Every block is accounted for: applied, proposed, refused or unused, with the reason."""

from __future__ import annotations

import time

import anypatch

FILES = {"a.py": "def f():\n    return 1\n\n\ndef g():\n    return 2\n"}
EDIT = "a.py\n<<<<<<< SEARCH\n    return 1\n=======\n    return 10\n>>>>>>> REPLACE\n"
MISSING = EDIT.replace("return 1\n", "return 7\n")
SKETCH = "In `a.py`:\n```python\ndef g():\n    return 20\n```\n"


def outcomes(answer: str, accept: anypatch.Accept = None) -> list[tuple[str, str]]:
    result = anypatch.apply_to(answer, FILES, accept=accept)
    return [(block.read_as, block.became) for block in result.blocks]


def test_edits_and_proposals() -> None:
    assert outcomes(EDIT) == [("search-replace", "applied")]
    assert outcomes(EDIT + "\n" + SKETCH) == [("search-replace", "refused"), ("sketch", "proposed")]
    assert outcomes(EDIT + "\n" + SKETCH, "all") == [("search-replace", "applied"), ("sketch", "applied")]


def test_one_failed_edit_holds_back_the_others() -> None:
    blocks = anypatch.apply_to(f"{EDIT}\nThen:\n\n{MISSING}", FILES).blocks
    assert [(block.became, block.reason) for block in blocks] == [
        ("refused", "Other edits have problems."),
        ("refused", "It has problems."),
    ]


def test_what_holds_no_edit_is_listed_with_its_reason() -> None:
    answer = f'<think>a.py</think>\n{EDIT}\n<RemoveFile path="b.py" />\n\n```\na.py\n```\n{SKETCH}\n```\n'
    blocks = anypatch.apply_to(answer, FILES, accept="all").blocks
    assert [(block.read_as, block.became) for block in blocks] == [
        ("thinking", "unused"), ("search-replace", "applied"), ("element", "unused"), ("sketch", "unused"),
        ("sketch", "applied"), ("fence", "unused"),
    ]  # fmt: skip
    assert all(block.reason.endswith(".") for block in blocks if block.became == "unused")


def test_unused_blocks_are_noted() -> None:
    result = anypatch.apply_to(f'{EDIT}\n<RemoveFile path="b.py" />\n', FILES)
    assert result.ok and [note.kind for note in result.notes] == ["unused"]
    assert "`<RemoveFile>`" in result.notes[0].text


def test_cost_is_linear() -> None:
    def seconds(count: int) -> float:
        files = {f"{number}.py": "x = 1\n" for number in range(count)}
        edits = [f"{path}\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n\n" for path in files]
        result = anypatch.apply_to("".join(edits), files, syntax="off")
        start = time.process_time()
        assert {block.became for block in result.blocks} == {"applied"}
        return time.process_time() - start

    small = max(min(seconds(100) for _ in range(3)), 0.001)
    assert seconds(2_000) < 60 * small
