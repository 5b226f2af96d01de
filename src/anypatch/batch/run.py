"""A whole batch: a table of answers through an engine into a table of results. Prints nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from itertools import chain

from ..problems import Problem, Refused
from .engines import apply_chunks
from .rows import Applier, Options
from .summary import Summary
from .tables import AnswerTable, Chunk, ResultTable


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
