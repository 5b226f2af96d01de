"""Line edits and indentation."""

from __future__ import annotations

from anypatch.propose.edits import LineEdit, apply_edits, common_indent, has_word, shifted, smallest, without_blank_ends

LINES = ["a", "b", "c"]


def test_edits_are_made_at_once() -> None:
    edits = [LineEdit(3, 3, ["d"]), LineEdit(0, 1, []), LineEdit(1, 2, ["B", "B2"])]
    assert apply_edits(LINES, edits) == ["B", "B2", "c", "d"]


def test_an_edit_is_reduced_to_what_changes() -> None:
    edits = smallest(LINES, [LineEdit(0, 3, ["a", "x", "c"])])
    assert edits == [LineEdit(1, 2, ["x"])] and apply_edits(LINES, edits) == ["a", "x", "c"]


def test_indentation_is_shifted_for_all_lines_alike() -> None:
    assert shifted(["a", "", "  b"], "", "    ") == ["    a", "", "      b"]
    assert shifted(["    a", "      b"], "    ", "  ") == ["  a", "    b"]
    assert shifted(["\ta", "\t\tb"], "\t", "  ") == ["  a", "  \tb"]
    assert common_indent(["    a", "", "  b"]) == "  "


def test_blank_ends_and_words() -> None:
    assert without_blank_ends(["", "a", "", "b", " "]) == ["a", "", "b"] and without_blank_ends([" "]) == []
    assert has_word("x)") and not has_word("}),")
