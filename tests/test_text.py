"""A text gives back its bytes, and what is put into its lines is put there and nowhere else."""

from __future__ import annotations

import random

import pytest

from anypatch.text import Text, join


def fresh(data: bytes) -> Text:
    """A text none of whose lines was asked for yet."""
    text = data.removeprefix(b"\xef\xbb\xbf")
    return Text(text, text != data)


def spliced(text: Text, cuts: list[tuple[int, int, list[str], list[str]]], final: bool | None) -> bytes:
    """What `Text.spliced` promises, line by line."""
    pairs = list(zip(text.lines, text.ends, strict=True))
    for start, end, lines, ends in reversed(cuts):
        pairs[start:end] = zip(lines, ends, strict=True)
    pairs = [(line, end or text.eol) for line, end in pairs]
    if pairs and not (text.final if final is None else final):
        pairs[-1] = pairs[-1][0], ""
    return (
        (b"\xef\xbb\xbf" if text.bom else b"") + join(*map(list, zip(*pairs, strict=True))).encode() if pairs else b""
    )


@pytest.mark.parametrize("seed", range(400))
def test_splices_change_their_lines_and_no_others(seed: int) -> None:
    draw = random.Random(seed)
    usual = draw.choice(["\n", "\n", "\r\n", "\r"])
    ends = [
        draw.choice(["\n", "\r\n"]) if draw.random() < 0.1 and usual != "\r" else usual
        for _ in range(draw.randrange(9))
    ]
    data = "".join(draw.choice(["", "a", "b c", "é", "\ufeffx"]) + end for end in ends).encode()
    data = draw.choice([b"", b"\xef\xbb\xbf"]) * (data != b"") + data + draw.choice([b"", b"last"])
    text = fresh(data)
    rows = sorted(draw.sample(range(len(text.lines) + 1), min(4, len(text.lines) + 1)))
    if draw.random() < 0.5:
        text = fresh(data)  # none of its lines was asked for yet
        text.rows_of(["a"])
    cuts = [(start, end, ["new"] * draw.randrange(3)) for start, end in zip(rows[::2], rows[1::2], strict=False)]
    made = [text.cut(*cut) for cut in cuts]
    final = draw.choice([None, None, True, False])
    whole = [(start, end, list(lines), list(ends)) for start, end, lines, ends in made]
    after = text.spliced(made, final)
    assert text.data() == data
    assert after.data().removeprefix(b"\xef\xbb\xbf") == spliced(text, whole, final).removeprefix(b"\xef\xbb\xbf")
    assert after.data() == after.bom * b"\xef\xbb\xbf" + join(after.lines, after.ends).encode()


def test_lines_are_found_at_their_rows_and_one_by_one() -> None:
    text = Text.read(b"a\nb\na\nbc\na")
    assert text.rows_of(["a"]) == [0, 2, 4]
    assert text.rows_of(["b", "a"]) == [1]
    assert text.rows_of(["bc", "a"]) == [3]
    assert [text.some(row, row + 1) for row in (2, 1, 0, 4)] == [["a"], ["b"], ["a"], ["a"]]
    assert [text.some(row, 5) for row in (4, 3)] == [["a"], ["bc", "a"]]
    assert "lines" not in text.__dict__
    assert text.count == len(text.lines) == 5
