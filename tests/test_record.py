"""Records are named tuples: the same calls give the same values and the same errors, the first time and the ninth."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple
from typing import Any

import pytest

from anypatch.record import NamedTuple

CALLS = [
    ((), {}), ((1,), {}), ((1, 2), {}), ((1, 2, 3), {}), ((1, 2, 3, 4), {}), ((1,), {"c": 5}), ((), {"a": 1}), ((), {"c": 5}),
    ((1,), {"a": 2}), ((1, 2), {"b": 3}), ((1, 2, 3), {"c": 3}), ((1,), {"z": 2}), ((), {"b": 3}), ((1, 2), {"z": 0, "c": 1}),
    ((), {"b": 2, "a": 1, "c": 3}), ((), {"z": 1}),
]  # fmt: skip


class Kept(NamedTuple):
    """At the top of a module, where pickle finds it."""

    a: int
    b: str = "x"

    def twice(self) -> int:
        return self.a * 2


@pytest.mark.parametrize("uses", [0, 7, 8, 20])
@pytest.mark.parametrize("defaults", [0, 1, 2, 3])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_like_the_named_tuple_of_the_library(
    uses: int, defaults: int, call: tuple[tuple[int, ...], dict[str, int]]
) -> None:
    fields = ["a", "b", "c"]
    given = dict(zip(fields[3 - defaults :], (7, 8, 9), strict=False))
    body = {"__annotations__": dict.fromkeys(fields, "int"), "__module__": __name__, "__qualname__": "R", **given}
    meta: Any = type(NamedTuple)
    record = meta("R", (NamedTuple,), dict(body))
    model: Any = namedtuple("R", fields, defaults=tuple(given.values()))  # type: ignore[misc]
    for _ in range(uses):
        record(1, 2, 3)
    args, named = call
    try:
        wanted: Any = model(*args, **named)
    except TypeError:
        with pytest.raises(TypeError):
            record(*args, **named)
    else:
        made = record(*args, **named)
        assert made == wanted and type(made) is record and repr(made) == repr(wanted)
        assert made._replace(b=4) == wanted._replace(b=4) and made._asdict() == wanted._asdict()
    assert record._fields == model._fields and record.__match_args__ == model.__match_args__


def test_records_are_copied_pickled_and_subclassed() -> None:
    class Below(Kept):
        __slots__ = ()

    for number in range(12):
        assert pickle.loads(pickle.dumps(Kept(number))) == Kept(number) == copy.copy(Kept(number))
        below = Below(number)._replace(b="y")
        assert (type(below), below.twice(), below) == (Below, number * 2, (number, "y"))
    with pytest.raises(TypeError):
        Kept(1)._replace(z=1)  # type: ignore[call-arg]
    assert type(Kept(1)) is Kept and Kept._make((1, "q")).b == "q"
