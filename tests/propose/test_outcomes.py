"""Proposals in a plan: what is held back, what is accepted, what became of each block."""

from __future__ import annotations

from pathlib import Path

import pytest

import anypatch
from anypatch.batch import Apply

CART = "class Cart:\n    def total(self):\n        return 0\n\n    def count(self):\n        return 1\n"
FILES = {"cart.py": CART, "settings.py": "PORT = 80\n"}
STATED = "settings.py\n<<<<<<< SEARCH\nPORT = 80\n=======\nPORT = 8080\n>>>>>>> REPLACE\n"
SYMBOL = "In `cart.py`:\n\n```python\n    def total(self):\n        return sum(self.items)\n```\n"
NEW_FILE = "tax.py\n```python\nRATE = 19\n```\n"
SUMMED = CART.replace("return 0", "return sum(self.items)")


def test_a_proposal_holds_everything_back() -> None:
    result = anypatch.apply_to(f"{SYMBOL}\n{STATED}", FILES)
    assert not result.ok and result.status == "proposed" and dict(result.files) == FILES
    assert {change.path: change.after for change in result.changes} == {
        "settings.py": "PORT = 8080\n",
        "cart.py": SUMMED,
    }
    assert [(block.read_as, block.became) for block in result.blocks] == [
        ("sketch", "proposed"),
        ("search-replace", "refused"),
    ]


def test_what_is_accepted_is_done() -> None:
    answer = f"{SYMBOL}\n{STATED}"
    none = anypatch.apply_to(answer, FILES, accept="none")
    assert none.ok and dict(none.files) == {**FILES, "settings.py": "PORT = 8080\n"}
    assert [block.became for block in none.blocks] == ["proposed", "applied"]
    assert any(note.kind == "proposed" for note in none.notes)
    for accept in ("all", "symbol", ["file", "symbol"]):
        both = anypatch.apply_to(answer, FILES, accept=accept)  # type: ignore[arg-type]
        assert both.ok and both.files["cart.py"] == SUMMED and both.files["settings.py"] == "PORT = 8080\n"
    assert anypatch.apply_to(answer, FILES, accept="file").status == "proposed"
    assert anypatch.apply_to(f"{SYMBOL}\n{NEW_FILE}", FILES, accept="symbol").status == "proposed"
    with pytest.raises(ValueError, match="accept"):
        anypatch.apply_to(answer, FILES, accept="most")  # type: ignore[arg-type]


def test_on_disk_nothing_is_written_before_it_is_accepted(tmp_path: Path) -> None:
    (tmp_path / "cart.py").write_bytes(CART.replace("\n", "\r\n").encode())
    seen = anypatch.apply(SYMBOL, tmp_path)
    assert seen.status == "proposed" and not seen.written and b"return 0" in (tmp_path / "cart.py").read_bytes()
    done = anypatch.apply(SYMBOL, tmp_path, accept="symbol")
    assert done.ok and (tmp_path / "cart.py").read_bytes() == SUMMED.replace("\n", "\r\n").encode()
    assert anypatch.undo(tmp_path).ok


def test_a_sketch_laid_twice_changes_nothing_the_second_time() -> None:
    once = anypatch.apply_to(f"{SYMBOL}\n{NEW_FILE}", FILES, accept="all")
    again = anypatch.apply_to(f"{SYMBOL}\n{NEW_FILE}", dict(once.files), accept="all")
    assert once.ok and dict(again.files) == dict(once.files)
    assert [block.became for block in again.blocks] == ["unused", "unused"]


def test_a_sketch_is_laid_over_what_stated_edits_leave() -> None:
    diff = "--- a/cart.py\n+++ b/cart.py\n@@ -2,2 +2,2 @@\n     def total(self):\n-        return 0\n+        return sum(self.items)\n"
    result = anypatch.apply_to(
        f"```diff\n{diff}```\n\nSo `total` in `cart.py` is now:\n\n{SYMBOL.split(':', 1)[1]}", FILES
    )
    assert result.ok and result.files["cart.py"] == SUMMED
    assert [block.became for block in result.blocks] == ["applied", "unused"]


def test_two_versions_of_the_same_lines_are_alternatives() -> None:
    other = SYMBOL.replace("sum(self.items)", "len(self.items)").replace("In `cart.py`:", "Or:")
    for accept in (None, "all"):
        result = anypatch.apply_to(f"{SYMBOL}\n{other}", FILES, accept=accept)
        assert result.kinds == ("alternatives",) and dict(result.files) == FILES


def test_the_model_gets_the_edit_to_send() -> None:
    told = anypatch.apply_to(SYMBOL, FILES).for_model()
    block = told[told.index("cart.py\n<<<<<<<") : told.index(">>>>>>> REPLACE") + 16]
    assert anypatch.apply_to(block, FILES).files["cart.py"] == SUMMED


def test_fences_that_change_nothing_are_refused_with_a_reason_each() -> None:
    result = anypatch.apply_to("```python\nprint(1)\n```\n\n```bash\nls\n```\n", FILES)
    assert result.status == "refused" and result.kinds == ("no_patch",) and len(result.problems) == 2


def test_a_named_format_marks_its_fences() -> None:
    assert anypatch.apply_to(NEW_FILE, FILES, format="whole-file").ok
    part = "cart.py\n```python\n# ... existing code ...\n    def count(self):\n        return 2\n```\n"
    assert anypatch.apply_to(part, FILES, format="elided").files["cart.py"] == CART.replace("return 1", "return 2")
    assert anypatch.apply_to(part, FILES).status == "proposed"


def test_rows_of_a_batch() -> None:
    row = {"answer": SYMBOL, "files": FILES}
    assert Apply()(row)["status"] == "proposed"
    assert Apply(accept="symbol")(row)["ok"]
