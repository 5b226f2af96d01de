"""Rule `overlay`: files and functions shown in part, with marks."""

from __future__ import annotations

import pytest
from sketches import NEW_TOTAL, SCRIPT, STORE, changed, fence, outcome, rules

from anypatch.propose import LineEdit, Unplaced, lay_overlay


def test_a_class_header_around_marks_stays() -> None:
    text = STORE.replace("class Cart:", "class Cart(Base):")
    sketch = f"class Cart:\n    # ... existing code ...\n\n    {NEW_TOTAL.replace(chr(10), chr(10) + '    ')}"
    after = changed(f"store.py\n{fence(sketch)}", {"store.py": text})
    assert after == {"store.py": text.replace("return sum(self.items)", "return round(sum(self.items), 2)")}


@pytest.mark.parametrize(
    "mark", ["// ... rest stays the same", "// … restlicher Code unverändert", "// 其余代码不变", "..."]
)
def test_a_changed_declaration_before_a_mark_is_replaced(mark: str) -> None:
    sketch = f"function load(url) {{\n  const limit = 10;\n  {mark}\n}}"
    after = changed(f"In `app.js`:\n{fence(sketch, 'js')}", {"app.js": SCRIPT})
    assert after == {"app.js": SCRIPT.replace("var limit", "const limit")}


def test_a_new_method_beside_marks_goes_to_the_end_of_its_class() -> None:
    sketch = "class Cart:\n    # ... existing code ...\n\n    def clear(self):\n        self.items = []"
    after = changed(f"store.py\n{fence(sketch)}", {"store.py": STORE})
    assert after == {"store.py": STORE + "\n    def clear(self):\n        self.items = []\n"}


def test_parts_are_laid_where_their_first_and_last_lines_are() -> None:
    lines = ["a = 1", "b = 2", "c = 3", "d = 4", "e = 5"]
    assert lay_overlay("x.py", ["a = 1", "new = 0", "b = 2", "# ...", "e = 6"], lines) == [
        LineEdit(0, 2, ["a = 1", "new = 0", "b = 2"]),
        LineEdit(4, 5, ["e = 6"]),
    ]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (["a = 1"], "it has no marks for left-out code"),
        (["# ..."], "it holds nothing but marks for left-out code"),
        (["# ...", "other()", "# ..."], "`other()` and the lines below it have no place in the file"),
        (["# ...", "x = 1", "# ..."], "the lines from `x = 1` on are in several places: at the lines 2, 4"),
        (["b = 2", "# ...", "a = 1"], "`a = 1` isn't where the lines around it are in the file"),
    ],
)
def test_a_part_without_one_place_is_refused(body: list[str], reason: str) -> None:
    with pytest.raises(Unplaced) as error:
        lay_overlay("x.py", body, ["a = 1", "x = 1", "y = 1", "x = 1", "b = 2"])
    assert str(error.value) == reason


def test_a_call_in_a_cut_sketch_is_not_a_definition() -> None:
    text = "func a() {\n\tdefer teardown()\n\n\tcheck(1)\n}\n\nfunc teardown() {\n\tstop()\n}\n"
    sketch = (
        "// ... existing code ...\n\tdefer teardown()\n\n\tcheck(2)\n}\n\nfunc teardown() {\n// ... existing code ..."
    )
    assert changed(f"a.go\n{fence(sketch, 'go')}", {"a.go": text}) == {"a.go": text.replace("1", "2")}


def test_nothing_but_equal_lines_is_refused() -> None:
    text = "x = 1\n" * 3000
    answer = f"a.py\n{fence('x = 1' + chr(10) + '# ...' + chr(10) + chr(10).join(['x = 1'] * 2000))}"
    assert rules(outcome(answer, {"a.py": text})) == [""]
