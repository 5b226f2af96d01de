"""Proposing costs as much as its input is long, not the square of that."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection

import pytest

from anypatch.propose import PathIndex, Sketch, Unplaced, lay_overlay, propose


class Tree:
    def __init__(self, files: dict[str, list[str]]) -> None:
        self.files = files

    def paths(self) -> Collection[str]:
        return self.files.keys()

    def lines(self, path: str) -> list[str] | None:
        return self.files.get(path)


def functions(count: int) -> list[str]:
    return [line for n in range(count) for line in (f"def f{n}(x):", f"    y = x + {n}", "    return y", "", "")]


def sketch(number: int, *body: str, above: str = "In `a.py`:") -> Sketch:
    return Sketch(number, 10 * number + 1, "python", body, (above,))


def own_functions(size: int) -> None:
    sketches = [sketch(n, f"def f{n}(x):", f"    return x * {n}") for n in range(size)]
    assert len(propose(sketches, Tree({"a.py": functions(size)}))) == size


def options(size: int) -> None:
    sketches = [sketch(n, "def f1(x):", f"    return x * {n}") for n in range(size)]
    propose(sketches, Tree({"a.py": functions(50)}))


def pairs(size: int) -> None:
    sketches = [sketch(n, f"    y = x {'-+'[n % 2 == 0]} {n // 2}", "    return y") for n in range(size)]
    propose(sketches, Tree({"a.py": functions(size)}))


def small_overlays(size: int) -> None:
    sketches = [sketch(n, "# ...", f"    y = x + {n}", "    z = 1", "    return y", "# ...") for n in range(size)]
    propose(sketches, Tree({"a.py": functions(size)}))


def one_rewrite(size: int) -> None:
    old = functions(20 * size)
    new = [line.replace("y = x", "y = x * 2") if n % 50 == 1 else line for n, line in enumerate(old)]
    propose([sketch(0, *new, above="a.py")], Tree({"a.py": old}))


def one_class(size: int) -> None:
    old = ["class A:", *(line for n in range(20 * size) for line in (f"    def m{n}(self):", f"        return {n}"))]
    new = ["class A:", *(line for n in range(10 * size) for line in (f"    def m{2 * n}(self):", "        return 0"))]
    propose([sketch(0, *new)], Tree({"a.py": old}))


def one_overlay(size: int) -> None:
    old = [line for n in range(20 * size) for line in (f"value_{n} = load({n})", "shared = 1", "other = 2")]
    new = [line for n in range(20 * size) for line in (f"value_{n} = load({n})", "shared = 5", "# ...")]
    assert len(lay_overlay("a.py", new, old)) == 20 * size


def equal_lines(size: int) -> None:
    with pytest.raises(Unplaced):
        lay_overlay("a.py", ["x = 1"] * (20 * size) + ["# ..."] + ["x = 1"] * (20 * size), ["x = 1"] * (50 * size))


def many_paths(size: int) -> None:
    index = PathIndex([f"src/d{n % 100}/p{n}/mod{n % 50}.py" for n in range(100 * size)])
    assert not any(index.find(f"x{n}/mod{n % 50}.py") for n in range(100 * size))


@pytest.mark.parametrize(
    "work",
    [own_functions, options, pairs, small_overlays, one_rewrite, one_class, one_overlay, equal_lines, many_paths],
)
def test_four_times_the_input_costs_about_four_times_as_much(work: Callable[[int], None]) -> None:
    def seconds(size: int) -> float:
        start = time.process_time()
        work(size)
        return time.process_time() - start

    work(10)
    small = min(seconds(50) for _ in range(2))
    limit = 10 * small + 0.3  # sixteen times as much if it were quadratic
    assert any(seconds(200) < limit for _ in range(4))
