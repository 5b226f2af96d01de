"""Run a whole batch, from a table of answers through an engine to a table of results, and sum it up. Prints nothing."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from math import exp, log
from typing import Any

from ..problems import Problem, Refused
from .engines import apply_chunks
from .result_row import ResultRow
from .rows import Applier, Options
from .tables import AnswerTable, Chunk, ResultTable

_STEP = 0.02  # of the logarithm of milliseconds: a quantile is exact to 2 %

OUTCOMES = ("applied", "partial", "proposed", "refused")


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
    """Apply every answer of a table; one result for each, in order. Raise Refused if a table can't be read or written.

    `engine`: local, or ray for tasks of a Ray cluster. `workers`: processes, by default one for each core. `resume`:
    continue an interrupted run. `tell`: called with the number of rows done and their share of all, negative if that
    is unknown.
    """
    options = options.checked()
    if not workers:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    table, results, summary = AnswerTable(answers), ResultTable(out, resume=resume), Summary()
    try:
        last_id = None
        for result in results.existing():
            summary.add(result)
            last_id = result["id"]
        chunks = _skip_done(table, summary.rows, last_id, options) if summary.rows else table.chunks()
        for chunk_results in apply_chunks(chunks, options, engine, workers, summary.rows):
            # ASCII only: lone surrogates, for bytes that aren't UTF-8, stay escaped.
            results.add("".join(f"{json.dumps(result)}\n" for result in chunk_results).encode("ascii"))
            for result in chunk_results:
                summary.add(result)
            if tell:
                tell(summary.rows, table.share * summary.rows / table.rows)
        results.finish()
    except OSError as error:
        raise Refused(Problem("io", f"{out} can't be written: {error.strerror}")) from None
    finally:
        results.close()
    return summary


def _skip_done(table: AnswerTable, done: int, last_id: object, options: Options) -> Iterator[Chunk]:
    """Return the rows after those that are done. Raise Refused if the last of those isn't in its place."""
    chunks = table.chunks(done - 1)
    chunk = next(chunks, [])
    if not chunk or Applier(options).id(chunk[0], done - 1) != last_id:
        detail = f"the results so far end with {last_id!r}, which isn't row {done} of {table.path}"
        raise Refused(Problem("bad_call", detail, advice="Resume with the same answers, or start over."))
    return chain([chunk[1:]] if chunk[1:] else [], chunks)


# ── the summary: rows by format and reason, and their times ──────────────────────────────────────


class Summary:
    """Counts of a batch, in memory that doesn't grow with the number of rows."""

    def __init__(self) -> None:
        self.rows = self.ok = self.partial = self.proposed = 0
        self.formats: Counter[tuple[str, str]] = Counter()
        self.kinds: Counter[str] = Counter()
        self.levels: Counter[str] = Counter()
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: ResultRow) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        self.proposed += result["status"] == "proposed"
        self.formats[result["format"] or "unknown", result["status"]] += 1
        self.kinds.update({problem["kind"] for problem in result["problems"]})
        self.levels.update(result["levels"])
        self._total += result["ms"]
        self._times[round(log(max(result["ms"], 0.001)) / _STEP)] += 1

    def quantile(self, share: float) -> float:
        """Return the milliseconds that this share of the rows took at most."""
        left = share * self.rows
        for step in sorted(self._times):
            left -= self._times[step]
            if left <= 0:
                return round(exp(step * _STEP), 2)
        return 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the summary as plain values."""
        names = sorted({name for name, _ in self.formats})
        return {
            "rows": self.rows,
            "applied": self.ok,
            "partial": self.partial,
            "proposed": self.proposed,
            "refused": self.rows - self.ok - self.partial - self.proposed,
            "by_format": {name: {outcome: self.formats[name, outcome] for outcome in OUTCOMES} for name in names},
            "by_kind": dict(self.kinds.most_common()),
            "by_level": dict(self.levels.most_common()),
            "ms": {"median": self.quantile(0.5), "p95": self.quantile(0.95), "total": round(self._total)},
        }

    def lines(self) -> list[str]:
        """Return the summary as a table."""
        value = self.as_json()
        rows: list[tuple[str, ...]] = [("format", "rows", *OUTCOMES, "")]
        for name, counts in [*value["by_format"].items(), ("all", value)]:
            numbers = [counts[outcome] for outcome in OUTCOMES]
            total = sum(numbers)
            share = f"{numbers[0] / total:.1%}" if total else ""
            rows.append((name, f"{total:,}", *(f"{number:,}" for number in numbers), share))
        lines = _table(rows)
        if self.kinds:
            kinds = [(kind, f"{count:,}") for kind, count in self.kinds.most_common()]
            lines += ["", *_table([("refused because of", "rows"), *kinds])]
        return lines


def _table(rows: list[tuple[str, ...]]) -> list[str]:
    """Return the first column aligned to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        numbers = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join([row[0].ljust(widths[0]), *numbers]).rstrip())
    return lines
