"""A whole batch: a table of answers through an engine into a table of results. Prints nothing."""

from __future__ import annotations

import json
import os
from itertools import chain

from ..problems import Problem, Refused
from .engine import results as worked_on
from .rows import Applier
from .summary import Summary
from .tables import Answers, Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .rows import Chunk, Options


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
                raise Refused(Problem("bad_call", detail, advice="Resume with the same answers, or begin anew."))
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
