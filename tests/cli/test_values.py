"""The values of options: what they become, and what is refused."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

import pytest

from anypatch.cli import values


@pytest.mark.parametrize(
    ("convert", "value", "expected"),
    [
        (values.text, "a", "a"),
        (values.whole_number, "20", 20),
        (values.seconds, "0.5", 0.5),
        (values.seconds, "3", 3.0),
        (values.edit_numbers, "1,3", [1, 3]),
        (values.correction_numbers, values.NUL, []),
        (values.accepted, "all", "all"),
        (values.accepted, "file,symbol", ["file", "symbol"]),
        (values.limits, "files=2,hunks=3", {"files": 2, "hunks": 3}),
        (values.column, "answer=a=b", ("answer", "a=b")),
        (values.address, "8000", ("127.0.0.1", 8000)),
        (values.address, "[::1]:80", ("::1", 80)),
    ],
)
def test_a_value_is_converted(convert: Callable[[str], object], value: str, expected: object) -> None:
    assert convert(value) == expected


@pytest.mark.parametrize(
    ("convert", "value", "error"),
    [
        (values.text, "", "needs a value"),
        (values.whole_number, "many", "needs a whole number, at least 1, not 'many'"),
        (values.whole_number, "0", "at least 1"),
        (values.whole_number, "-1", "at least 1"),
        (values.whole_number, "٣", "needs a whole number"),
        (values.whole_number, "9" * 5000, "needs a whole number"),
        (values.seconds, "1.2.3", "needs a number of seconds"),
        (values.seconds, ".", "needs a number of seconds"),
        (values.edit_numbers, "two", "needs the number of an edit, as in 2 or 1,3, not 'two'"),
        (values.edit_numbers, "1,,2", "needs the number of an edit"),
        (values.correction_numbers, "", "needs the number of a correction"),
        (values.correction_numbers, "0", "needs the number of a correction"),
        (values.accepted, "some", "takes all, none, or some of file, lines, symbol, overlay, not 'some'"),
        (values.limits, "fils=3", "there is no limit 'fils'; did you mean 'files'?"),
        (values.limits, "files", "the limit files needs a whole number"),
        (values.column, "answer", "needs NAME=COLUMN"),
        (values.address, "1:x", "needs PORT or HOST:PORT"),
        (values.address, "65536", "needs PORT or HOST:PORT"),
    ],
)
def test_a_wrong_value_is_refused(convert: Callable[[str], object], value: str, error: str) -> None:
    with pytest.raises(ArgumentTypeError) as caught:
        convert(value)
    assert error in str(caught.value)
