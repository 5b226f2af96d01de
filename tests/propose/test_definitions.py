"""The definitions of a text."""

from __future__ import annotations

from anypatch.propose.definitions import namesakes, outermost, parse, parse_sketch

CODE = [
    "LIMIT = 1",
    "",
    "",
    "class Cart:",
    "    def total(self):",
    "        return 0",
    "",
    "",
    "def total():",
    "    pass",
]


def test_definitions_have_their_rows_and_the_names_around_them() -> None:
    parts = parse("a.py", CODE)
    assert [(part.parts, part.first, part.last) for part in parts] == [
        (("LIMIT",), 0, 0), (("Cart",), 3, 5), (("Cart", "total"), 4, 5), (("total",), 8, 9),
    ]  # fmt: skip
    assert [part.name for part in outermost(parts)] == ["LIMIT", "Cart", "total"]
    assert [(part.is_value, part.is_class, part.is_code) for part in outermost(parts)] == [
        (True, False, False), (False, True, False), (False, False, True),
    ]  # fmt: skip


def test_a_method_alone_is_read_as_if_in_a_class() -> None:
    (part,) = parse_sketch("A.java", ["int total() {", "    return 0;", "}"])
    assert part.parts == ("total",) and (part.first, part.last) == (0, 2)


def test_a_language_without_a_grammar_has_none() -> None:
    assert parse("a.unknown", CODE) == [] and parse("a.py", ["", " "]) == []


def test_namesakes_have_the_same_kind_and_owner() -> None:
    parts = parse("a.py", CODE)
    method, function = parts[2], parts[3]
    assert namesakes(method, [method, function]) == [method]
    assert namesakes(function, [method, function]) == [function]
