"""The fences of one file are laid over it one after the other: alternatives, repetitions, those that build on others."""

from __future__ import annotations

import pytest
from sketches import NEW_TOTAL, ROUNDED, STORE, Memory, changed, fence, outcome, read, rules, text_of

from anypatch.propose import Proposal, Sketch, Unused, propose

OPTIONS = [f"def load(path):\n    return {value}" for value in ("None", "{}")]


@pytest.mark.parametrize("between", ["### Option 2", "oder", "", "In `store.py`, change `load` to:"])
def test_two_options_are_alternatives(between: str) -> None:
    answer = f"You could change store.py.\n\n### Option 1\n{fence(OPTIONS[0])}\n{between}\n{fence(OPTIONS[1])}"
    results = outcome(answer, {"store.py": STORE})
    assert rules(results) == ["symbol?", "symbol?"]
    assert [result.alternatives for result in results if isinstance(result, Proposal)] == [(1,), (0,)]
    assert changed(answer, {"store.py": STORE}) == {}


def test_options_that_change_different_lines_of_a_function_are_alternatives() -> None:
    one = 'def save(path, data):\n    with open(path, "wb") as file:\n        json.dump(data, file)'
    two = 'def save(path, data):\n    with open(path, "w") as file:\n        json.dump(data, file, indent=2)'
    three = "@cached\n" + 'def save(path, data):\n    with open(path, "w") as file:\n        json.dump(data, file)'
    for first, second in ((one, two), (one, three), (three, three.replace("cached", "lru_cache"))):
        answer = f"store.py\n{fence(first)}or\n{fence(second)}"
        assert rules(outcome(answer, {"store.py": STORE})) == ["symbol?", "symbol?"]


def test_options_for_a_new_function_are_alternatives() -> None:
    load = "def load(path):\n    return parse(path)\n\n\n"
    answer = f"store.py\n{fence(load + 'def parse(path):' + chr(10) + '    return 1')}or\n"
    both = answer + fence(load + "def parse(path):\n    return 2")
    assert rules(outcome(both, {"store.py": STORE})) == ["symbol?", "symbol?"]
    alone = answer + fence("def parse(path):\n    return 2")
    results = outcome(alone, {"store.py": STORE})
    assert rules(results) == ["symbol?", "symbol?"]
    assert isinstance(results[1], Proposal) and "    return 2" in results[1].after


def test_the_same_function_in_full_twice_is_no_alternative() -> None:
    answer = f"store.py\n{fence(NEW_TOTAL)}so, in full:\n{fence(NEW_TOTAL)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", ""]
    assert changed(answer, {"store.py": STORE}) == {"store.py": ROUNDED}


def test_a_function_and_the_whole_file_with_it() -> None:
    answer = f"store.py\n{fence(NEW_TOTAL)}The whole file:\n\nstore.py\n{fence(ROUNDED.rstrip())}"
    assert changed(answer, {"store.py": STORE}) == {"store.py": ROUNDED}
    other = answer.replace("round(sum(self.items), 2)", "0", 1)
    assert rules(outcome(other, {"store.py": STORE})) == ["symbol?", "file?"]


def test_two_functions_of_a_file_are_both_changed() -> None:
    answer = (
        f"In `store.py`:\n{fence('import os' + chr(10) + OPTIONS[0])}and\n{fence('import re' + chr(10) + NEW_TOTAL)}"
    )
    after = changed(answer, {"store.py": STORE})["store.py"]
    assert after.startswith("import json\nimport os\nimport re\n")
    assert "return None" in after and "round(" in after


def test_alternatives_are_not_part_of_later_proposals() -> None:
    answer = f"store.py\n{fence(OPTIONS[0])}or\n{fence(OPTIONS[1])}and\n{fence(NEW_TOTAL)}"
    assert changed(answer, {"store.py": STORE}) == {"store.py": ROUNDED}


def test_a_sketch_that_builds_on_another() -> None:
    first = fence("def load(path):\n    return {}\n\n\ndef exists(path):\n    check(path)\n    return True")
    second = fence("def exists(path):\n    # ...\n    return False")
    after = changed(f"store.py\n{first}Then\n{second}", {"store.py": STORE})["store.py"]
    assert "def exists(path):\n    check(path)\n    return False\n" in after


def test_an_unclosed_fence_is_unused() -> None:
    sketch = Sketch(0, 1, "python", ("x = 1",), ("src/a.py",), closed=False)

    class Nothing:
        def paths(self) -> list[str]:
            return []

        def lines(self, path: str) -> None:
            return None

    assert [type(result) for result in propose([sketch], Nothing())] == [Unused]


def test_a_stated_edit_before_tells_the_file() -> None:
    (sketch,) = read(f"Also:\n{fence(NEW_TOTAL)}")
    (result,) = propose([sketch._replace(previous="store.py", block=4)], Memory({"store.py": STORE}))
    assert isinstance(result, Proposal) and (result.path, result.block) == ("store.py", 4)


ANSWERS = [
    f"store.py\n{fence(NEW_TOTAL)}",
    f"store.py\n{fence(ROUNDED.rstrip())}",
    f"store.py\n{fence('def total(self):' + chr(10) + '    # ...' + chr(10) + '    return 0')}",
    f"store.py\n{fence('class Cart(Base):' + chr(10) + '    def total(self):' + chr(10) + '        return 0')}",
    f"store.py\n{fence('import os' + chr(10) * 2 + OPTIONS[0] + chr(10) * 3 + 'def more():' + chr(10) + '    pass')}",
    f"store.py\n{fence('def load(path):' + chr(10) + '    with open(path) as file:' + chr(10) + '        return json.load(file)')}new\n{fence(OPTIONS[0])}",
    f"src/new.py\n{fence('x = 1')}",
    f"In store.py:\n{fence('class Cart:' + chr(10) + '    # ...' + chr(10) + '    def clear(self):' + chr(10) + '        pass')}",
    f"In store.py:\n{fence('import json' + chr(10) * 3 + 'LIMIT = 1' + chr(10) * 2 + 'def load(path):')}",
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_laid_twice_changes_nothing_the_second_time(answer: str) -> None:
    files = {"store.py": STORE}
    once = {**files, **changed(answer, files)}
    assert not [result for result in outcome(answer, once) if isinstance(result, Proposal)]
    assert {**once, **changed(answer, once)} == once


@pytest.mark.parametrize("answer", ANSWERS)
@pytest.mark.parametrize("other", ANSWERS[:6])
def test_each_sketch_has_one_result_and_proposals_follow_each_other(answer: str, other: str) -> None:
    text = answer + "\n\n" + other
    results = outcome(text, {"store.py": STORE})
    assert [result.block for result in results] == list(range(len(read(text))))
    changed(text, {"store.py": STORE})
    for result in results:
        assert (
            not isinstance(result, Proposal) or result.before is None or text_of(result.before) != text_of(result.after)
        )


LOAD = "def load(path):\n    return {}"
SAVE = "def save(path, data):\n    pass"


def test_fences_for_different_lines_are_joined() -> None:
    answer = f"In `store.py`:\n{fence(LOAD)}\nand\n{fence(SAVE)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", "symbol"]
    text = changed(answer, {"store.py": STORE})["store.py"]
    assert "return {}" in text and "    pass\n" in text


def test_a_fence_that_says_the_same_again_is_not_used() -> None:
    answer = f"In `store.py`:\n{fence(LOAD)}\nSo, once more:\n{fence(LOAD)}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["symbol", ""]


def test_two_versions_of_a_new_file_are_alternatives() -> None:
    new, more = fence("def f():\n    return 1"), fence("def f():\n    return 2")
    answer = f"src/new.py\n{new}\nor\n\nsrc/new.py\n{more}"
    assert rules(outcome(answer, {"store.py": STORE})) == ["file?", "file?"]


def test_a_quote_changes_nothing() -> None:
    quoted = 'class Cart:\n    """A shopping cart."""'
    assert rules(outcome(f"In `store.py` there is\n{fence(quoted)}", {"store.py": STORE})) == [""]
