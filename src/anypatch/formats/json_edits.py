"""JSON edits: what models write as calls of edit tools, in every dialect. Finds no place and touches no file.

Anthropic's text editor, Claude Code's Edit, MultiEdit and Write, OpenAI's apply_patch calls, Gemini's replace, the
MCP file server's edit_file and their kin differ in names of keys and in what is wrapped around them; both are made
one before anything is understood. All calls of an answer are one patch, in order.
"""

from __future__ import annotations

import re

from ..errors import Problem
from ..model import Format, Note, Op, Patch
from ..text import patch_lines
from ..twice import said_once
from ._json_calls import Reading, unwrap
from ._json_edits_teach import EXAMPLES, PROMPT
from ._json_find import find, plain
from ._json_ops import is_passed_over, operate
from ._json_read import source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from ..model import FileChange, Tally
    from ._tools import Tool

_WORDS = (
    "old_string", "new_string", "old_str", "oldText", "oldString", "old_text", "file_text", "apply_patch", "file_path",
    "filePath", "insert_line", "replace", "command", "edits", "content", "_file", "diff", "<parameter",
    "code_edit", "codeEdit",
)  # fmt: skip
_GAP = r"(?:\s++|(?://|\#)[^\n]{0,200}+\n|/\*[^*]{0,200}+\*/)*+"
_KEY = rf"""[{{,]{_GAP}\\?["']?([A-Za-z_-]{{2,24}})\\?["']?\s*+:"""
# Keys that make an edit together, and the values of which one must stand somewhere, if any.
_COMBINATIONS = (
    ("oldstring newstring", ""), ("oldstr newstr", ""), ("oldtext newtext", ""), ("oldstr command", ""),
    ("filepath oldstring", ""), ("filepath newstring", ""), ("path oldstr", ""), ("path oldtext", ""),
    ("path filetext", ""), ("path insertline", ""), ("filepath content", ""), ("filepath edits", ""),
    ("path edits", ""), ("path diff", ""), ("search replace path", ""), ("find replace path", ""),
    ("targetfile codeedit", ""), ("filepath codeedit", ""), ("path codeedit", ""), ("file codeedit", ""),
    ("filepath code", "insert_edit_into_file"),
    ("search replace file", ""), ("path content name", ""),
    ("path command", "str_replace insert create view undo_edit delete"),
    ("operation type", "apply_patch_call update_file create_file delete_file"),
    ("type path", "update_file create_file delete_file"), ("name input", "apply_patch"),
    ("name arguments", "apply_patch"), ("source destination", "move_file rename_file"), ("command", "apply_patch"),
    ("path name", "delete_file view"), ("filepath name", "Edit Write Read NotebookEdit replace write_file"),
)  # fmt: skip
_NAMED = r'"(?:file_path|filePath|path|file)"[ \t]*+:[ \t]*+"([^"\\\n]*+)"'
_LONG = 50_000  # signs from which on it pays to look ahead
# Lines that other formats are known by: with them, JSON is more likely what is edited than how.
_OTHERS = ("\n<<<<<<<", "\n*** Begin Patch", "\n--- a/", "\n+++ b/", "\n=== file:", "\n------- SEARCH", "\noperations:")


def parse(text: str, tally: Tally | None = None) -> Patch:
    """What the calls in an answer say."""
    if tally is not None and len(text) > _LONG:
        _look_ahead(text, tally)
    found = find(source("\n".join(patch_lines(text))))
    unwrapped = unwrap(found.values)
    ops: list[Op] = []
    problems = found.problems + unwrapped.problems
    notes: list[Note] = found.notes + unwrapped.notes
    reading = Reading(ops, problems, notes, tally)
    path = ""
    for call in unwrapped.calls:
        path = operate(call, path, reading)
        if tally is not None:
            tally(ops)
    if not problems and all(is_passed_over(call) for call in unwrapped.calls):
        advice = 'Write objects like {"file_path": …, "old_string": …, "new_string": …}.'
        problems.append(Problem("bad_patch", "there is no edit in it", patch_line=1, advice=advice))
    problems.sort(key=lambda problem: problem.patch_line)
    ops = said_once(ops, notes)
    return Patch("json-edits", tuple(ops), "", tuple(problems), tuple(notes))


def _look_ahead(text: str, tally: Tally) -> None:
    """Show the first edits of a long list that may hold too many, before all of it is read.

    They are cut off where an edit seems to begin: if none does, they can't be read, and say nothing.
    """
    named = list(re.finditer(_NAMED, text))
    last = tally.end([match[1] for match in named])
    if 0 <= last < len(named) - 2:
        head = text[: text.rfind("{", 0, named[last + 2].start())].rstrip(", \t\r\n")
        tally(list(parse(f"{head}]").ops[:-1]), now=True)


def sniff(text: str) -> int:
    """How much a text looks like edits in JSON. Not any JSON: the keys must be those of an edit."""
    if not any(word in text for word in _WORDS):
        return 0
    if "<parameter" in text and re.search(r"<(?:\w{1,20}:)?invoke\s+name|<function=", text):
        return 90
    if "{" not in text or ('"op"' in text and '"operations"' in text):
        return 0
    seen: set[str] = set()
    for match in re.finditer(_KEY, text):
        key = plain(match[1])
        if key not in seen:
            seen.add(key)
            if any(_holds(keys.split(), words.split(), seen, text) for keys, words in _COMBINATIONS if key in keys):
                return 60 if any(mark in text for mark in _OTHERS) else 90
    return 0


def _holds(keys: list[str], words: list[str], seen: set[str], text: str) -> bool:
    """Whether all keys were seen and one of the words stands somewhere as a value."""
    return seen.issuperset(keys) and (
        not words or any(f'{word}"' in text or f"{word}'" in text or f"{word}\\" in text for word in words)
    )


def render(changes: tuple[FileChange, ...], wide: Collection[str] = ()) -> str:
    """The changes as a list of edits; Refused where the format has no words for one."""
    from ._json_edits_write import document

    return document(changes, wide)


def write(ops: tuple[Op, ...]) -> str:
    """The operations as they were read; Refused where the format has no words for one."""
    from ._json_edits_resend import document

    return document(ops)


def tool() -> Tool:
    """How a model calls the format."""
    from ._json_edits_tool import TOOL

    return TOOL


FORMAT = Format(
    "json-edits",
    "JSON edits: calls of the edit tools of Anthropic, OpenAI, Gemini, MCP and their kin",
    sniff,
    parse,
    render,
    frozenset(("create", "delete", "move", "overwrite", "final_newline", "blank_lines")),
    PROMPT,
    EXAMPLES,
    write,
    tool,
    parse,
)
