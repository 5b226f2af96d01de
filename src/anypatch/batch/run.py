"""A whole batch: a table of answers through an engine into a table of results, and what it comes to. Prints nothing."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from math import exp, log

from ..problems import Problem, Refused
from .engine import results as worked_on
from .rows import Applier
from .tables import Answers, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .rows import Chunk, Options, Result


def run(  # noqa: PLR0913 - the options of the command
    answers: str,
    out: str,
    options: Options,
    *,
    engine: str = "local",
    workers: int = 0,
    resume: bool = False,
    tell: Callable[[int, float], None] | None = None,
) -> Summary:
    """Apply every answer of a table; one result for each, in order. Refused where a table can't be read or written.

    `engine`: local, or ray for tasks of a Ray cluster. `workers`: processes, by default one for each core. `resume`: go
    on where a run broke off. `tell`: called with the rows that are done and the share of all that they are,
    less than 0 where nobody knows.
    """
    options = options.checked()
    if not workers:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    table, results, summary = Answers(answers), Results(out, resume=resume), Summary()
    try:
        last = None
        for result in results.known():
            summary.add(result)
            last = result["id"]
        chunks: Iterator[Chunk] = table.chunks(max(summary.rows - 1, 0))
        if summary.rows:
            # The last row that is done comes first, to see whether these are the answers that were begun with.
            chunk = next(chunks, [])
            if not chunk or Applier(options).id(chunk[0], summary.rows - 1) != last:
                detail = f"the results so far end with {last!r}, which isn't row {summary.rows} of {answers}"
                raise Refused(Problem("bad_call", detail, advice="Resume with the same answers, or start over."))
            chunks = chain([chunk[1:]] if chunk[1:] else [], chunks)
        for made in worked_on(chunks, options, engine, workers, summary.rows):
            # ASCII only: lone surrogates, which stand for bytes that are no UTF-8, stay escaped.
            results.add("".join(f"{json.dumps(result)}\n" for result in made).encode("ascii"))
            for result in made:
                summary.add(result)
            if tell:
                tell(summary.rows, table.share * summary.rows / table.rows)
        results.finish()
    except OSError as error:
        raise Refused(Problem("io", f"{out} can't be written: {error.strerror}")) from None
    finally:
        results.close()
    return summary


# ── the summary ──────────────────────────────────────────────────────────────────────────────────


_STEP = 0.02  # of the logarithm of milliseconds: a quantile is right to 2 %


class Summary:
    """Counts that grow row by row, and never with their number."""

    def __init__(self) -> None:
        self.rows = self.ok = self.partial = 0
        self.formats: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: Result) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        outcome = "applied" if result["ok"] else "partial" if result["partial"] else "refused"
        self.formats[result["format"] or "unknown", outcome] += 1
        self.kinds.update({problem["kind"] for problem in result["problems"]})
        self.levels.update(result["levels"])
        self._total += result["ms"]
        self._times[round(log(max(result["ms"], 0.001)) / _STEP)] += 1

    def quantile(self, share: float) -> float:
        """The milliseconds that this share of the rows took at most."""
        left = share * self.rows
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return round(exp(step * _STEP), 2)
        return 0.0

    def as_json(self) -> dict[str, Any]:
        """The summary as plain values."""
        names = sorted({name for name, _ in self.formats})
        return {
            "rows": self.rows,
            "applied": self.ok,
            "partial": self.partial,
            "refused": self.rows - self.ok - self.partial,
            "by_format": {
                name: {outcome: self.formats[name, outcome] for outcome in ("applied", "partial", "refused")}
                for name in names
            },
            "by_kind": dict(self.kinds.most_common()),
            "by_level": dict(self.levels.most_common()),
            "ms": {"median": self.quantile(0.5), "p95": self.quantile(0.95), "total": round(self._total)},
        }

    def lines(self) -> list[str]:
        """The summary as a table."""
        value = self.as_json()
        rows: list[tuple[str, ...]] = [("format", "rows", "applied", "partial", "refused", "")]
        for name, counts in [*value["by_format"].items(), ("all", value)]:
            numbers = [counts[outcome] for outcome in ("applied", "partial", "refused")]
            total = sum(numbers)
            share = f"{numbers[0] / total:.1%}" if total else ""
            rows.append((name, f"{total:,}", *(f"{number:,}" for number in numbers), share))
        lines = _table(rows)
        if self.kinds:
            lines += [
                "",
                *_table([("refused because of", "rows"), *((k, f"{n:,}") for k, n in self.kinds.most_common())]),
            ]
        return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Columns with the numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
