"""A text gives back its bytes, and what is put into its lines is put there and nowhere else."""

from __future__ import annotations

import random

import pytest

from anypatch.text import Splice, Text, characters, join, units

BOM = b"\xef\xbb\xbf"


def some_file(draw: random.Random) -> bytes:
    """A small file: any line endings, with or without a BOM and a final newline."""
    usual = draw.choice(["\n", "\n", "\r\n", "\r"])
    ends = [
        draw.choice(["\n", "\r\n"]) if draw.random() < 0.1 and usual != "\r" else usual
        for _ in range(draw.randrange(9))
    ]
    data = "".join(draw.choice(["", "a", "b c", "é", "\ufeffx"]) + end for end in ends).encode()
    return draw.choice([b"", BOM]) * (data != b"") + data + draw.choice([b"", b"last"])


@pytest.mark.parametrize("seed", range(400))
def test_splices_change_their_lines_and_no_others(seed: int) -> None:
    draw = random.Random(seed)
    data = some_file(draw)
    text = Text.read(data)
    assert text.data() == data
    rows = sorted(draw.sample(range(len(text.lines) + 1), min(4, len(text.lines) + 1)))
    cuts = [(start, end, ["new"] * draw.randrange(3)) for start, end in zip(rows[::2], rows[1::2], strict=False)]
    final, own = draw.choice([None, None, True, False]), draw.choice([True, False])
    after = text.apply([text.replaced_rows(*cut, own) for cut in cuts], final)

    # Line by line: kept lines keep their ends; a new one has that of a line it replaces, or the usual one.
    wanted: list[tuple[str, set[str]]] = [
        (line, {end or text.eol}) for line, end in zip(text.lines, text.ends, strict=True)
    ]
    for start, end, lines in reversed(cuts):
        own_ends = set().union(*(ends for _, ends in wanted[start:end])) if own else set()
        wanted[start:end] = [(line, own_ends | {text.eol}) for line in lines]
    assert after.lines == [line for line, _ in wanted]
    ends = after.ends
    if ends and not (text.final if final is None else final):
        assert ends[-1] == ""
        ends = [*ends[:-1], next(iter(wanted[-1][1]))]
    assert all(end in possible for end, (_, possible) in zip(ends, wanted, strict=True))
    assert after.data() == text.bom * BOM + join(after.lines, after.ends).encode()
    assert text.data() == data


@pytest.mark.parametrize("seed", range(200))
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_characters_inside_lines_change_and_no_others(seed: int, eol: str) -> None:
    draw = random.Random(seed)
    source = "".join(draw.choice("ab\n ") for _ in range(draw.randrange(1, 30))) + "\n"
    text = Text.of(source.replace("\n", eol))
    start, stop = sorted(draw.choices(range(len(source)), k=2))
    new = draw.choice(["", "x", "x\ny", "\n"])
    after = text.apply([Splice(start + 1, stop + 1, new)])
    assert after.source == (source[:start] + new + source[stop:]).replace("\n", eol)


@pytest.mark.parametrize("lone_cr", [False, True])
@pytest.mark.parametrize(
    ("data", "lines", "ends"),
    [
        (b"", [], []),
        (b"\n", [""], ["\n"]),
        (b"a", ["a"], [""]),
        (b"a\r\nb", ["a", "b"], ["\r\n", ""]),
        (b"a\rb\r", ["a", "b"], ["\r", "\r"]),
        (BOM + b"a\n", ["a"], ["\n"]),
    ],
)
def test_lines_and_their_ends(data: bytes, lines: list[str], ends: list[str], lone_cr: bool) -> None:
    text = Text.read(data, lone_cr=lone_cr)
    assert (text.lines, text.ends, text.data()) == (lines, ends, data)


def test_a_lone_cr_is_content_unless_it_is_said_to_end_a_line() -> None:
    data = b"a\rb\nc\r\n"
    assert Text.read(data).lines == ["a\rb", "c"]
    assert Text.read(data, lone_cr=True).lines == ["a", "b", "c"]
    assert Text.read(data, lone_cr=True).ends == ["\r", "\n", "\r\n"]


@pytest.mark.parametrize(("own", "after"), [(True, "a\r\nx\ny\r\nc\r\n"), (False, "a\r\nx\r\ny\r\nc\r\n")])
def test_a_replaced_line_keeps_its_line_end_if_asked(own: bool, after: str) -> None:
    text = Text.of("a\r\nb\nc\r\n")
    assert text.apply([text.replaced_rows(1, 2, ["x", "y"], own)]).source == after


def test_a_byte_that_is_no_text_comes_back() -> None:
    text = Text.read(b"a\xff\nb\n")
    assert text.apply([text.replaced_rows(1, 2, ["c"])]).data() == b"a\xff\nc\n"


def test_rows_and_offsets() -> None:
    text = Text.of("a\nbb\n\nc")
    for asked_for_lines in (False, True):
        assert [text.row_at(offset) for offset in (1, 2, 3, 5, 6, 7)] == [0, 0, 1, 1, 2, 3]
        if not asked_for_lines:
            assert [text.line_start(row) for row in range(6)] == [1, 3, 6, 7, 9, 9]


def test_splices_that_overlap_are_an_error() -> None:
    text = Text.of("a\nb\nc\n")
    one, two = text.replaced_rows(0, 2, ["x"]), text.replaced_rows(1, 3, ["y"])
    with pytest.raises(ValueError, match="line 2"):
        text.apply([two, one])


@pytest.mark.parametrize(("source", "after"), [("a\nb", "a"), ("a\nb\n", "a\n"), ("b", ""), ("b\n", "")])
def test_the_last_line_goes(source: str, after: str) -> None:
    text = Text.of(source)
    rows = len(text.lines)
    assert text.apply([text.replaced_rows(rows - 1, rows, [])]).source == after


@pytest.mark.parametrize(("column", "at"), [(0, 0), (2, 1), (3, 2), (99, 3)])
def test_columns_in_utf_16_units(column: int, at: int) -> None:
    line = "😀äx"
    assert characters(line, column) == at
    assert units(line[:at]) == min(column, 4)
