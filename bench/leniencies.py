"""Measure what each leniency, reading, claim and guard is worth: the rows of a measure that change when it is switched off.

    python bench/leniencies.py ROWS.jsonl [NAME …]        NAME: only these rules

ROWS: one JSON object a line with `set`, `before` (path to text), `answer`, `format`, and what is right: `goods` (a list of
results), `wanted` (a result, or "refuse"), as the evaluation data beside the project has it. For each rule: how many
rows that were right no longer are, and how many become right, by kind of measure.
"""

from __future__ import annotations

import collections
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha1

import anypatch
from anypatch.match import claims, ladder, place, splices
from anypatch.model import Hunk

KINDS = ("real", "peers", "mistakes", "spec", "chat", "shape")
Row = dict[str, object]


def without_level(name: str) -> Callable[[], object]:
    """The ladder without a level and the looser ones, which include it."""

    def climb(context: place.Context, hunk: Hunk, inner: Callable[..., object] = place._search) -> object:
        levels = hunk.policy.levels
        levels = levels[: levels.index(name)] if name in levels else levels
        return inner(context, hunk._replace(policy=hunk.policy._replace(levels=levels)))

    return lambda: replaced("match.place", "_search", climb)


def without_reading(name: str) -> Callable[[], object]:
    def locate(context: place.Context, hunk: Hunk, inner: Callable[..., object] = place.locate) -> object:
        readings = tuple(reading for reading in hunk.policy.readings if reading != name)
        return inner(context, hunk._replace(policy=hunk.policy._replace(readings=readings)))

    return lambda: replaced("match.place", "locate", locate)


def without(*names: tuple[str, str, object]) -> Callable[[], object]:
    def switch() -> None:
        for module, name, value in names:
            replaced(module, name, value)

    return switch


RULES: dict[str, Callable[[], object]] = {
    **{level: without_level(level) for level in ladder.LEVELS if level != "exact"},
    "first line lost its indentation": without(("match.splices", "_fit_lost_first_indent", lambda *a: None)),
    "typographic signs typed as the file": without(
        ("match.splices", "with_file_typography", lambda t, signed, m: signed)
    ),
    **{rule.name: without_reading(rule.name) for rule in ladder.READINGS if rule.name not in ("gaps", "html")},
    "gaps": without(("answer.marks", "cut_at_marks", lambda *a: None)),
    "html": without(("answer.unwrap", "was_escaped", lambda text: False)),
    "header": without(
        ("match.claims", "_under_headers", lambda t, h, places: places),
        ("match.claims", "by_header", lambda t, h, places: places),
    ),
    "neighbour": without(("match.claims", "_has_neighbours", lambda *a: True)),
    "symbol": without(("match.claims", "by_names", lambda t, places, *a: places)),
    "order": without(("match.claims", "_in_order", lambda hunks, picks: picks)),
    "line number": without(("match.claims", "_by_line_number", lambda *a: None)),
    "marks": without(("match.guards", "leaves_out_code", lambda *a: "")),
    "result there": without(("match.guards", "existing_result", lambda *a: -1)),
    "deletion": without(("match.guards", "first_missing_line", lambda *a: "")),
    "shrinking": without(("match.guards", "loses_most", lambda *a: False)),
}
_changed: list[tuple[object, str, object]] = []


def replaced(module: str, name: str, value: object) -> None:
    """Put another function in the place of one, wherever it was imported."""
    original = getattr(importlib.import_module(f"anypatch.{module}"), name)
    for other in [module for key, module in sys.modules.items() if key.startswith("anypatch")]:
        for attribute, known in list(vars(other).items()):
            if known is original:
                _changed.append((other, attribute, known))
                setattr(other, attribute, value)


@contextmanager
def switched_off(rule: str) -> Iterator[None]:
    RULES[rule]()
    try:
        yield
    finally:
        while _changed:
            setattr(*_changed.pop())


def is_right(row: Row) -> bool:
    """Return True if a row gives what is wanted."""
    before: dict[str, str] = row["before"]  # type: ignore[assignment]
    named = {"format": row["format"]} if row["format"] else {}
    try:
        result = anypatch.apply_to(row["answer"], before, syntax="off", **named)  # type: ignore[call-overload]
    except Exception:
        return False
    if row.get("wanted") == "refuse":
        return not result.ok or dict(result.files) == before
    wanted: list[object] = row.get("goods") or [row.get("wanted")]  # type: ignore[assignment]
    after = dict(result.files)
    changed = {path: after.get(path) for path in {*before, *after} if before.get(path) != after.get(path)}
    # Results that people judged to be better than the official result.
    better: list[str] = row.get("better", [])  # type: ignore[assignment]
    if sha1(json.dumps(changed, sort_keys=True).encode()).hexdigest()[:16] in better:
        return True
    return result.ok and any(isinstance(one, dict) and after == {**before, **one} for one in wanted)


def main() -> int:
    path, *names = sys.argv[1:]
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    rows = [row for row in rows if row.get("goods") or row.get("wanted") is not None]
    assert splices and claims  # imported, so that they can be switched off
    usual = [is_right(row) for row in rows]
    print(f"{len(rows)} rows, {sum(usual)} right")
    for rule in names or RULES:
        with switched_off(rule):
            now = [is_right(row) for row in rows]
        lost, won = collections.Counter[str](), collections.Counter[str]()
        for row, one, two in zip(rows, usual, now, strict=True):
            kind = next(kind for kind in KINDS if row["set"].startswith(kind))
            lost[kind] += one and not two
            won[kind] += two and not one
        told = [
            f"{kind} {lost[kind]}" + (f" (+{won[kind]})" if won[kind] else "")
            for kind in KINDS
            if lost[kind] or won[kind]
        ]
        print(f"{rule:45} {', '.join(told) or 'none'}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
