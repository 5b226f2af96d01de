"""Run a whole batch, from a table of answers through an engine to a table of results, and sum it up. Prints nothing."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from math import exp, log
from typing import Any, NamedTuple

from ..problems import Problem, Refused
from ..report import charts
from ..report.words import table_lines
from .engines import apply_chunks
from .result_row import ResultRow
from .rows import Applier, Options
from .tables import AnswerTable, Chunk, ResultTable

_EXAMPLE = 100  # characters
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
    force: bool = False,
    tell: Callable[[int, float], None] | None = None,
) -> Summary:
    """Apply every answer of a table; one result for each, in order. Raise Refused if a table can't be read or written.

    `engine`: local, or ray for tasks of a Ray cluster. `workers`: processes, by default one for each core. `resume`:
    continue an interrupted run. `force`: replace results that exist. `tell`: called with the number of rows done and
    their share of all, negative if that is unknown.
    """
    options = options.checked()
    if not workers:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    table = AnswerTable(answers)
    _check_columns(table, options)
    if force and _is_same_file(answers, out):
        raise Refused(Problem("bad_call", f"{out} has the answers", advice="Choose another name for the results."))
    results, summary = ResultTable(out, resume=resume, force=force), Summary()
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


def _check_columns(table: AnswerTable, options: Options) -> None:
    """Raise Refused if the first rows have no column with a name for what every row needs.

    {"id": 1, "response": "…", "files": {…}}      needs --column answer=response
    """
    columns, names = table.columns(), options.column_names()
    needed = [*options.columns, "answer", *([] if options.instances else ["files"])]
    for field in needed if columns else []:
        wanted = names[field] + (names["repo"] if field == "files" and field not in options.columns else ())
        if set(wanted) & set(columns):
            continue
        others = [column for column in columns if not any(column in known for known in names.values())]
        example = f"{field}={others[0] if len(others) == 1 else 'COLUMN'}"
        detail = f"the table has no column {' or '.join(wanted)}, only {', '.join(columns)}"
        command = f"--column {example} names it."
        raise Refused(Problem("bad_call", detail, table.path, advice="Say which column it is.", command=command))


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


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
        self.examples: dict[str, Example] = {}
        self._times: Counter[int] = Counter()
        self._total = 0.0

    def add(self, result: ResultRow) -> None:
        """Count a row."""
        self.rows += 1
        self.ok += result["ok"]
        self.partial += result["partial"]
        self.proposed += result["status"] == "proposed"
        self.formats[result["format"] or "unknown", result["status"]] += 1
        for problem in result["problems"]:
            self.examples.setdefault(problem["kind"], Example(str(result["id"]), _one_line(problem)))
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
            "examples": {kind: self.examples[kind]._asdict() for kind, _ in self.kinds.most_common()},
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
        lines = table_lines(rows)
        if self.kinds:
            kinds = [(kind, f"{count:,}") for kind, count in self.kinds.most_common()]
            table = table_lines([("not applied because of", "rows"), *kinds])
            examples = ["the first of them", *(f"{self.examples[kind]}" for kind, _ in kinds)]
            lines += ["", *(f"{row}  {example}" for row, example in zip(table, examples, strict=True))]
        return lines

    def page(self, title: str) -> str:
        """Return the summary as a page of charts."""
        value = self.as_json()
        applied = f"{self.ok:,} of {self.rows:,} answers were applied"
        share = f": {self.ok / self.rows:.1%}." if self.rows else "."
        times = f"CPU time of a row: median {value['ms']['median']} ms; 95% take at most {value['ms']['p95']} ms."
        by_size = sorted(value["by_format"].items(), key=lambda pair: -sum(pair[1].values()))
        kinds = [(kind, {"rows": count}) for kind, count in value["by_kind"].items()]
        examples = {kind: f"{example}" for kind, example in self.examples.items()}
        levels = [(level, {"rows": count}) for level, count in value["by_level"].items()]
        if len(by_size) > 1:
            by_size.insert(0, ("all", {outcome: value[outcome] for outcome in OUTCOMES}))
        return charts.page(title, (f"{applied}{share}", times), (
            charts.bars("What became of the answers, by format", by_size, charts.OUTCOME_COLORS, shares=True),
            charts.bars("Why the others weren't applied", kinds, {"rows": "bad"}, notes=examples,
                        about="Rows by kind of problem, each with its first row. A row may have several kinds."),
            charts.bars("How places were found", levels, {"rows": "plain"}, about="Applied rows by level."),
        ))  # fmt: skip


class Example(NamedTuple):
    """The first row with a kind of problem."""

    id: str
    message: str

    def __str__(self) -> str:
        return f"{self.id}: {self.message}"


def _one_line(problem: dict[str, Any]) -> str:
    """Return what is wrong, and in which file, in one short line."""
    path, text = problem["path"] or "", " ".join(problem["message"].split())
    line = text if not path or path in text else f"{path}: {text}"
    return line if len(line) <= _EXAMPLE else f"{line[: _EXAMPLE - 1]}…"
