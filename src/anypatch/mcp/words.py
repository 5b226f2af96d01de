"""What results say to models where the command line's words don't fit. Pure."""

from __future__ import annotations

from ..errors import KINDS
from ..report import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..errors import Problem
    from ..model import Receipt, Report
    from ..symbols import Symbol

MOST_SYMBOLS = 400  # lines of an outline in words; the structured one is whole

# In place of advice that speaks of commands and their options.
ADVICE = {
    "symbol_not_found": "Call outline for the names in the file, or give line and column of the identifier.",
    "syntax": "Mend the new text so that the file still parses.",
    "already_applied": "Nothing is to be done; undo takes it back.",
    "file_exists": "Edit it instead, choose another name, or set overwrite.",
    "would_shrink": "Show the whole file, or what changes with `... existing code ...` for the rest; or set overwrite.",
    "unsafe_path": "Ask the user: such files are edited only by a server started with --allow-sensitive.",
    "hard_link": "Ask the user: the server was started so that files with other names aren't edited.",
    "limit": "Split it into smaller ones.",
    "no_receipt": "Call history for what can be undone.",
    "bad_patch": "Write it as the format's rules say; call formats with its name for them.",
    "no_patch": "Give a patch in one of the formats that formats lists.",
    "unknown_format": "Call formats for their names.",
    "bad_root": "Ask the user to start the server with --root DIR.",
    "bad_call": "Call it again with arguments as the tool's definition says.",
    "locked": "Try again in a moment.",
    "unsettled": "Stop editing and tell the user: a change was broken off, and the tree has to be recovered first.",
    "no_server": "Edit the places one by one; the user can install a language server for this.",
}

_OWN = ("file_exists", "limit", "bad_patch", "no_patch", "bad_call")  # where the kind's own is too general


def for_agents(report: Report) -> Report:
    """The report with advice that a caller of tools can follow."""
    return report._replace(problems=tuple(_advised(problem) for problem in report.problems))


def _advised(problem: Problem) -> Problem:
    told = problem.advice or KINDS[problem.kind].advice
    of_commands = "--" in told or "`anypatch" in told or (not problem.advice and problem.kind in _OWN)
    return problem._replace(advice=ADVICE[problem.kind]) if of_commands and problem.kind in ADVICE else problem


def outline_text(path: str, hashed: str, symbols: Sequence[Symbol]) -> str:
    """A file's symbols as an indented list."""
    lines = _tree(symbols, 1) or ["  no symbols"]
    more = len(lines) - MOST_SYMBOLS
    if more > 0:
        lines = [*lines[:MOST_SYMBOLS], f"  … {more} more; ask with depth or kind"]
    return "\n".join([f"{quoted(path)}  {hashed}", *lines])


def _tree(symbols: Sequence[Symbol], depth: int) -> list[str]:
    found: list[str] = []
    for symbol in symbols:
        damaged = "  (errors inside)" if symbol.damaged else ""
        found.append(f"{'  ' * depth}{symbol.kind} {symbol.name_path}  {place(symbol)}{damaged}")
        found += _tree(symbol.children, depth + 1)
    return found


def place(symbol: Symbol) -> str:
    """The lines of a symbol, from 1."""
    return f"lines {symbol.range.start.line + 1}-{symbol.range.end.line + 1}"


def history_text(receipts: Sequence[Receipt], others: Sequence[str]) -> str:
    """Receipts, one a line; `others`: ids of those that can't be used."""
    import time

    lines = []
    for receipt in receipts:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(receipt.time))
        told = [receipt.id, when + " UTC", receipt.format, "(undone)" if receipt.undone else ""]
        told.append("(in part)" if receipt.partial else "")
        files = [quoted(change.path) for change in receipt.changes[:3]]
        files += [f"and {len(receipt.changes) - 3} more"] if len(receipt.changes) > 3 else []
        told += [", ".join(files), quoted(receipt.description)]
        lines.append("  ".join(part for part in told if part))
    if others:
        lines.append(f"Not signed by this user's key, so that undo can't use them: {', '.join(others)}")
    return "\n".join(lines) or "Nothing was applied here."
