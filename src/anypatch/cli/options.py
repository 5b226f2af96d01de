"""The table of commands and options, from which parser, help, completions and docs/commands.md are made.

The functions at the top convert values of options. They raise ArgumentTypeError, which argparse puts into its error:
`argument --only: needs the number of an edit, as in 2 or 1,3, not 'two'`.
"""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable
from typing import NamedTuple, get_args

from ..hints import ProposalRule
from ..limits import Limits
from ..similarity import did_you_mean

# ── the values of options ────────────────────────────────────────────────────────────────────────

RULES: tuple[str, ...] = get_args(ProposalRule)

NUL = "\0"  # no argument of a process can contain it, so it marks what the parser adds


def without_mark(value: str) -> str:
    """Return a positional argument without the mark."""
    return value.removeprefix(NUL)


def text(value: str) -> str:
    """Return the value; an empty one is an error, for instance from `--root "$UNSET"`."""
    if not value:
        raise ArgumentTypeError("needs a value")
    return value


def path_or_correction(value: str) -> tuple[str, str]:
    """Convert `PATH` or `OLD=PATH` to the path in the answer, "" for none, and the one in the tree."""
    old, equals, path = text(value).rpartition("=")
    if equals and not (old and path):
        raise ArgumentTypeError(f"needs PATH or OLD=PATH, not {value!r}")
    return old, path


def whole_number(value: str) -> int:
    """Convert a number that is at least 1."""
    if not _is_number(value, digits=9) or not int(value):
        raise ArgumentTypeError(f"needs a whole number, at least 1, not {value!r}")
    return int(value)


def seconds(value: str) -> float:
    """Convert a number of seconds, which may have a fraction."""
    if not _is_number(value.replace(".", "", 1), digits=9):
        raise ArgumentTypeError(f"needs a number of seconds, not {value!r}")
    return float(value)


def edit_numbers(value: str) -> list[int]:
    """Convert `1,3`, the numbers of edits."""
    return _numbers(value, "an edit")


def correction_numbers(value: str) -> list[int]:
    """Convert `1,3`, the numbers of corrections; an empty list for `--fix` without any."""
    return [] if value == NUL else _numbers(value, "a correction")


def _numbers(value: str, what: str) -> list[int]:
    if not all(_is_number(number, digits=9) and int(number) for number in value.split(",")):
        raise ArgumentTypeError(f"needs the number of {what}, as in 2 or 1,3, not {value!r}")
    return [int(number) for number in value.split(",")]


def accepted(value: str) -> str | list[str]:
    """Convert `all`, `none`, or the rules whose proposals are accepted."""
    if value in ("all", "none"):
        return value
    if not set(value.split(",")) <= set(RULES):
        raise ArgumentTypeError(f"takes all, none, or some of {', '.join(RULES)}, not {value!r}")
    return value.split(",")


def limits(value: str) -> dict[str, int]:
    """Convert `files=20000,hunks=5`."""
    changed = {}
    for part in value.split(","):
        name, _, number = part.partition("=")
        if name not in Limits._fields:
            suggestion = did_you_mean(name, Limits._fields)
            raise ArgumentTypeError(f"there is no limit {name!r}" + (f"; {suggestion}" if suggestion else ""))
        if not _is_number(number, digits=15):
            raise ArgumentTypeError(f"the limit {name} needs a whole number, not {number!r}")
        changed[name] = int(number)
    return changed


def column(value: str) -> tuple[str, str]:
    """Convert `answer=response`: a name of ours and a column of a table."""
    name, _, title = value.partition("=")
    if not title:
        raise ArgumentTypeError(f"needs NAME=COLUMN, not {value!r}")
    return name, title


def address(value: str) -> tuple[str, int]:
    """Convert PORT or HOST:PORT; the host is this machine if it isn't named."""
    host, _, port = value.rpartition(":")
    if not _is_number(port, digits=5) or int(port) >= 1 << 16:
        raise ArgumentTypeError(f"needs PORT or HOST:PORT, not {value!r}")
    return host.strip("[]") or "127.0.0.1", int(port)


def _is_number(value: str, *, digits: int) -> bool:
    """Return True for ASCII digits. Their number is bounded, because `int` fails for very long strings."""
    return value.isascii() and value.isdigit() and len(value) <= digits


# ── what the table holds ─────────────────────────────────────────────────────────────────────────


class Argument(NamedTuple):
    """A positional argument of a command. `nargs` and `choices` are those of argparse."""

    metavar: str
    help: str
    nargs: str | None = None
    choices: tuple[str, ...] = ()

    @property
    def dest(self) -> str:
        """The attribute of the parsed arguments that has its value."""
        return self.metavar.lower()

    @property
    def usage(self) -> str:
        """How it is written in a usage line."""
        return {None: self.metavar, "?": f"[{self.metavar}]", "+": f"{self.metavar}..."}[self.nargs]

    @property
    def description(self) -> str:
        """Its help, with the choices."""
        return f"{self.help}: {', '.join(self.choices)}" if len(self.choices) > 1 else self.help


class Option(NamedTuple):
    """An option. Without a metavar it is a flag, which stores `const`.

    `exclusive`: options with the same word exclude each other; `optional`: the value may be left out, otherwise it
    follows a `=`; `repeated`: each use adds a value.
    """

    flags: str
    help: str
    metavar: str = ""
    type: Callable[[str], object] = text
    choices: tuple[str, ...] = ()
    group: str = "options"
    name: str = ""
    const: object = True
    exclusive: str = ""
    optional: bool = False
    repeated: bool = False
    required: bool = False

    @property
    def dest(self) -> str:
        """The attribute of the parsed arguments that has its value."""
        return self.name or self.flags.split()[-1].lstrip("-").replace("-", "_")

    @property
    def usage(self) -> str:
        """How it is written in a list of options: `-C, --root DIR`."""
        value = f"[={self.metavar}]" if self.optional else f" {self.metavar}" if self.metavar else ""
        return ", ".join(self.flags.split()) + value

    @property
    def description(self) -> str:
        """Its help, with the choices unless the help already names them."""
        is_listed = all(choice in self.help for choice in self.choices)
        return self.help if is_listed else f"{self.help}: {', '.join(self.choices)}"


class Command(NamedTuple):
    """A command, which is the function `run_NAME` in a module of this package. `copied`: lines to copy, with titles."""

    name: str
    module: str
    summary: str
    about: str
    arguments: tuple[Argument, ...]
    options: tuple[Option, ...]
    copied: tuple[tuple[str, str], ...] = ()

    @property
    def synopsis(self) -> str:
        """Its name and its arguments."""
        return " ".join([self.name, *(argument.usage for argument in self.arguments)])

    @property
    def sentence(self) -> str:
        """Its summary as a sentence."""
        return f"{self.summary[:1].upper()}{self.summary[1:]}."


# ── options, by the group under which long helps list them ───────────────────────────────────────

_INPUT, _EDITS, _CHECKS, _WRITING = "input", "which edits", "checks", "writing"
_SYMBOLS, _REPORT, _SERVER, _BATCH = "symbols", "report", "server", "batch"

ROOT = Option(
    "-C --root", "the directory to work in (default: the nearest above with .anypatch or .git)", "DIR", group=_INPUT
)
FORMAT = Option(
    "--format", "the format of the edits, instead of detecting it; diff means unified", "NAME", group=_INPUT
)
PASTE = Option("--paste", "take the answer from the clipboard", group=_INPUT, exclusive="source")
STDIN = Option("--stdin", "take the answer from standard input, as - does", group=_INPUT, exclusive="source")
FILE = Option(
    "--file", "the file of fences and edits that don't name one; OLD=PATH reads a path of the answer as another",
    "[OLD=]PATH", path_or_correction, group=_INPUT, name="paths", repeated=True,
)  # fmt: skip

ONLY = Option(
    "--only", "apply only the edit or proposal with this number; several with commas", "N", edit_numbers,
    group=_EDITS,
)  # fmt: skip
REVERSE = Option("-R --reverse", "apply the inverse: undo what the answer says", group=_EDITS)
STRIP = Option("-p --strip", "accepted as in patch, but not needed: the level is detected", "N", group=_EDITS)
FIX = Option(
    "--fix", "where edits don't fit, take the corrections that were shown; of several, those with these numbers", "N",
    correction_numbers, group=_EDITS, optional=True,
)  # fmt: skip
ACCEPT = Option(
    "--accept", "what to do with proposals, which are fences of code that aren't marked as edits: take all, none, or "
    "those of some rules (file, lines, symbol, overlay), with commas; otherwise one of them holds everything back",
    "WHICH", accepted, group=_EDITS,
)  # fmt: skip
PARTIAL = Option("--partial", "apply what can be placed; print the rest as a patch to send again", group=_EDITS)
REST = Option("--rest", "with --partial: write the rest to this file instead of printing it", "FILE", group=_EDITS)

OVERWRITE = Option(
    "--overwrite", "let new files replace existing ones, and shown files lose what they don't show", group=_CHECKS,
    exclusive="overwrite",
)  # fmt: skip
NO_OVERWRITE = Option(
    "--no-overwrite", "refuse new files where one exists, even if the format allows it", group=_CHECKS,
    name="overwrite", const=False, exclusive="overwrite",
)  # fmt: skip
BASE = Option(
    "--base", "the commit that the answer was written for; its changes are merged into the files of now", "REV",
    group=_INPUT,
)  # fmt: skip
AGAIN = Option("--again", "apply it even if this patch was the last one applied", group=_CHECKS)
LIMIT = Option("--limit", "change a limit, as in files=20000; several with commas", "NAME=N", limits, group=_CHECKS)
SYNTAX = Option(
    "--syntax", "what to do about a file that parsed and no longer would (default: warn)", "HOW",
    choices=("off", "warn", "refuse"), group=_CHECKS,
)  # fmt: skip
STRICT = Option("--strict", "the same as --syntax refuse", group=_CHECKS, name="syntax", const="refuse")

DRY_RUN = Option("-n --dry-run", "show what would happen and write nothing", group=_WRITING)
YES = Option("-y --yes", "apply without asking; otherwise, on a terminal, the change is shown first", group=_WRITING)
TURN = Option("--turn", "undo all changes of the last turn, as the agent's client named it", exclusive="which")
SINCE = Option(
    "--since", "undo all changes since then: an ID, that one included, or a time, as in 14:30, 2026-11-15T14:30, 20m",
    "WHEN", exclusive="which",
)  # fmt: skip
ALL = Option("--all", "undo all changes that the log lists", exclusive="which")
UNDO_YES = YES._replace(help="undo several changes without asking; otherwise, on a terminal, they are shown first")
FORCE = Option("--force", "undo even where the same lines were edited later; those edits are lost", group=_WRITING)
HARDLINKS = Option(
    "--hardlinks", "a file with other hard links: replace (default) this name only, refuse, or keep the link", "HOW",
    choices=("replace", "refuse", "keep"), group=_WRITING,
)  # fmt: skip
DURABILITY = Option(
    "--durability", "what a change survives: none, a crash; batch (default) and full, a power cut as well", "LEVEL",
    choices=("none", "batch", "full"), group=_WRITING,
)  # fmt: skip
LOCK_TIMEOUT = Option(
    "--lock-timeout", "wait at most N seconds for others to finish changing the tree (default: 10)", "N",
    seconds, group=_WRITING,
)  # fmt: skip
STATE_DIR = Option(
    "--state-dir", "keep the state there instead of in .anypatch; on the same file system", "DIR", group=_WRITING
)

SYMBOLS = Option(
    "--symbols", "where symbols come from: tree (default), the grammars; lsp, a language server as well", "ENGINE",
    choices=("tree", "lsp"), group=_SYMBOLS,
)  # fmt: skip
LSP_TIMEOUT = Option(
    "--lsp-timeout", "wait at most N seconds for each answer from a language server", "N", seconds,
    group=_SYMBOLS,
)  # fmt: skip
DEPTH = Option("--depth", "list at most N levels", "N", whole_number, group=_SYMBOLS)
KIND = Option("--kind", "list only symbols of this kind, such as class, function, method", "KIND", group=_SYMBOLS)
LEAD = Option("--lead", "with the comments right above it", group=_SYMBOLS)

COUNT = Option("-n --number", "show at most N receipts", "N", whole_number, group=_REPORT)
COPY = Option("--copy", "put the report for the model on the clipboard", group=_REPORT)
JSON = Option("--json", "print one JSON object", group=_REPORT)
FOR_MODEL = Option(
    "--for-model", "print the report for the model that wrote the patch; with --json, add it", group=_REPORT
)
MAX_LINES = Option(
    "--max-report-lines", "print at most N lines of a report (for a model: 80 if not given)", "N",
    whole_number, group=_REPORT,
)  # fmt: skip
VERBOSE = Option("-v --verbose", "show each place, how it was found, and what was odd in the answer", group=_REPORT)
QUIET = Option("-q --quiet", "print nothing but refusals", group=_REPORT)
COLOR = Option("--color", "when to use colours", "WHEN", choices=("auto", "always", "never"), group=_REPORT)
HELP = Option("-h --help", "show this help", group=_REPORT)
VERSION = Option("-V --version", "show the version", group=_REPORT)

ROOTS = Option(
    "-C --root", "a directory to work in; may be repeated (default: the client's roots, or here)", "DIR",
    group=_SERVER, name="roots", repeated=True,
)  # fmt: skip
HTTP = Option(
    "--http", "serve over streamable HTTP instead of standard input and output", "[HOST:]PORT", address,
    group=_SERVER,
)  # fmt: skip
ALLOW_REMOTE = Option("--allow-remote", "with --http: serve other machines, too; there is no password", group=_SERVER)
STRUCTURED = Option(
    "--structured", "send results as JSON, too; most clients then show the model that instead of the text",
    group=_SERVER,
)  # fmt: skip
LSP = Option(
    "--lsp", "also offer rename_symbol, by language servers; this turns off the kernel sandbox, in which nothing can "
    "be run", group=_SERVER,
)  # fmt: skip
ALLOW_SENSITIVE = Option(
    "--allow-sensitive", "also edit files that other programs run or follow, such as CI files", group=_SERVER
)

OUT = Option(
    "-o --out", "where the results go: .jsonl, .jsonl.gz, .parquet, or - for standard output", "RESULTS",
    group=_BATCH, required=True,
)  # fmt: skip
REPOS = Option(
    "--repos", "the folder of git repositories that rows with repo and base_commit name", "DIR", group=_BATCH
)
INSTANCES = Option(
    "--instances", "a table with repo and base_commit for each instance_id, as SWE-bench has", "FILE", group=_BATCH
)
COLUMN = Option(
    "--column", "the column of id, answer, files, repo or base_commit, as in answer=response; may be repeated",
    "NAME=COLUMN", column, group=_BATCH, name="columns", repeated=True,
)  # fmt: skip
ENGINE = Option(
    "--engine", "what does the work: processes on this machine (default), or a Ray cluster", "WHO",
    choices=("local", "ray"), group=_BATCH,
)  # fmt: skip
WORKERS = Option("--workers", "work with N processes (default: one for each core)", "N", whole_number, group=_BATCH)
RESUME = Option("--resume", "continue an interrupted batch", group=_BATCH, exclusive="existing")
REPLACE = Option(
    "--force",
    "replace RESULTS if it exists, or what an interrupted batch left of it",
    group=_BATCH,
    exclusive="existing",
)
REPORT = Option("--html", "write the summary to this file, as a page with bars", "REPORT", group=_BATCH)
SUMMARY = Option("--summary", "write the summary to this file, as JSON", "FILE", group=_BATCH)
BATCH_SYNTAX = SYNTAX._replace(help="what to do about a file that parsed and no longer would (default: off)")
BATCH_PARTIAL = PARTIAL._replace(help="apply what can be placed")

NO_OPEN = Option("--no-open", "print the page's address and don't start a browser", group=_REPORT)
HTML = Option(
    "--html", "write the page to this file, to look at, without buttons; nothing is served", "FILE", group=_REPORT
)

DIR = Option("--dir", "the folder for the shims (default: ~/.local/bin)", "DIR")
REPLAY_HTML = HTML._replace(help="write the summary to this file, as a page with bars")

WRITE = Option("--write", "with install: write the settings instead of showing them")
WRITTEN = Option("--format", "the format to write", "NAME", required=True)
TO = Option("--to", "the format to write", "NAME")
GIT = Option("--git", "compare revisions of the git repository at the root")
FOR = Option(
    "--for", "the vendor to write it for (default: mcp)", "WHOM", choices=("openai", "anthropic", "mcp"),
    name="vendor",
)  # fmt: skip
LARK = Option("--lark", "print the grammar for constrained decoding, in Lark notation")

_SOURCE = (ROOT, FORMAT, PASTE, STDIN)
_SELECTION = (FILE, ONLY, REVERSE, STRIP, FIX, ACCEPT)
_SAFETY = (BASE, OVERWRITE, NO_OVERWRITE, AGAIN, LIMIT)
_SYNTAX = (SYNTAX, STRICT)
_STORAGE = (DURABILITY, LOCK_TIMEOUT, STATE_DIR)
_ENGINE = (SYMBOLS, LSP_TIMEOUT)
_REPORTS = (JSON, FOR_MODEL, MAX_LINES)
_ALWAYS = (COLOR, HELP)

# ── arguments ────────────────────────────────────────────────────────────────────────────────────

ANSWER = Argument("ANSWER", "a file, or - for standard input, which is also read when none is given", "?")
ID = Argument("ID", "the change; `anypatch log` lists the IDs, the beginning of one is enough", "?")
FORMAT_NAME = Argument("FORMAT", "the name of a format; `anypatch formats` lists them")
SOURCE_FILE = Argument("FILE", "a source file")
NAME_PATH = Argument("NAME_PATH", "Class/method; /Class/method begins at the top; f[1] is the second f")
SHELLS = ("bash", "zsh", "fish")
CLIENTS = ("claude", "gemini", "codex", "qwen", "cursor", "copilot")

# ── commands ─────────────────────────────────────────────────────────────────────────────────────

_MCP_JSON = '{"mcpServers": {"anypatch": {"command": "anypatch", "args": ["mcp", "--root", "."]}}}'
_AGENTS = (
    ("Claude Code", "claude mcp add anypatch -- anypatch mcp --root ."),
    ("Codex", "codex mcp add anypatch -- anypatch mcp --root ."),
    ("Gemini CLI", "gemini mcp add anypatch anypatch mcp --root ."),
    ("Qwen Code", "qwen mcp add anypatch anypatch mcp --root ."),
    (
        "opencode",
        'in opencode.json: {"mcp": {"anypatch": {"type": "local", "command": ["anypatch", "mcp", "--root", "."]}}}',
    ),
    ("Cursor", f"in .cursor/mcp.json: {_MCP_JSON}"),
    ("VS Code", f"in .vscode/mcp.json: {_MCP_JSON.replace('mcpServers', 'servers')}"),
)
COMMANDS = {
    command.name: command
    for command in (
        Command(
            "apply", "apply", "apply an answer: all of its edits, or none",
            "The word apply may be left out. On a terminal the change is shown before it is made. A refused answer "
            "leaves every file as it was; an applied one can be undone. With --partial the report goes to standard "
            "error, the rest to standard output.",
            (ANSWER,),
            (
                *_SOURCE, *_SELECTION, PARTIAL, REST, *_SAFETY, *_SYNTAX, DRY_RUN, YES, HARDLINKS, *_STORAGE, *_ENGINE,
                COPY, *_REPORTS, VERBOSE, QUIET, *_ALWAYS,
            ),
        ),
        Command(
            "check", "apply", "say what an answer would do; nothing is written",
            "Shows the diff and ends with the exit code that apply would have.",
            (ANSWER,),
            (
                *_SOURCE, *_SELECTION, PARTIAL, REST, *_SAFETY, *_SYNTAX, STATE_DIR, *_ENGINE, COPY, *_REPORTS,
                VERBOSE, QUIET, *_ALWAYS,
            ),
        ),
        Command(
            "diff", "apply", "print what an answer would change, as a unified diff",
            "Nothing is written. For reading, or for other tools: anypatch diff answer.md | git apply",
            (ANSWER,), (*_SOURCE, *_SELECTION, *_SAFETY, *_SYNTAX, STATE_DIR, *_ALWAYS),
        ),
        Command(
            "review", "review", "show an answer in the browser, to keep or leave out each change",
            "The page is served on this machine only, until it is closed. What is kept is written together, or nothing "
            "is, and can be undone on the page. Needs the extra anypatch[review].",
            (ANSWER,),
            (
                *_SOURCE, FILE, BASE, OVERWRITE, NO_OVERWRITE, LIMIT, *_SYNTAX, HARDLINKS, *_STORAGE, NO_OPEN, HTML,
                *_ALWAYS,
            ),
        ),
        Command(
            "undo", "history", "undo the last change, the one named, or several as one",
            "Later edits stay if they don't touch the lines being undone; if they do, the undo is refused and says "
            "which lines, unless forced. A file that is already as it was before counts as undone. Several changes are "
            "undone together or not at all, and redo makes them again together.",
            (ID,),
            (ROOT, TURN, SINCE, ALL, FORCE, DRY_RUN, UNDO_YES, *_STORAGE, JSON, FOR_MODEL, VERBOSE, QUIET, *_ALWAYS),
        ),
        Command(
            "show", "history", "show the last change, or the one named, as a diff", "",
            (ID,), (ROOT, STATE_DIR, JSON, *_ALWAYS),
        ),
        Command(
            "redo", "history", "redo what was undone last, or the change or undo named",
            "Refused if the files have changed since. An undo can be redone until another answer is applied.",
            (ID,), (ROOT, *_STORAGE, JSON, VERBOSE, QUIET, *_ALWAYS),
        ),
        Command(
            "recover", "history", "put back what a crash left half done",
            "Every command that changes files does this first; this one does nothing else.",
            (), (ROOT, *_STORAGE, JSON, QUIET, *_ALWAYS),
        ),
        Command(
            "log", "history", "list the changes that were made, newest first",
            "For a change that an agent made, it shows how its session and turn end, where they are known.",
            (), (ROOT, COUNT, STATE_DIR, JSON, *_ALWAYS),
        ),
        Command("formats", "information", "list the formats that are understood", "", (), (JSON, *_ALWAYS)),
        Command(
            "prompt", "information", "print the text that teaches a format to a model",
            "Put it in the model's instructions.", (FORMAT_NAME,), _ALWAYS,
        ),
        Command(
            "explain", "apply", "show each stage: what was recognised, read, found, and how",
            "Writes nothing. For finding out why an edit goes where it does, or fits nowhere.",
            (ANSWER,), (*_SOURCE, *_SAFETY, JSON, *_ALWAYS),
        ),
        Command(
            "make", "writing", "write the patch from one tree to another",
            "With --git, OLD and NEW are two revisions, or one and the working tree, which is compared with HEAD if "
            "none is given. Refused if the format can't express a change.",
            (
                Argument("OLD", "a file or a folder; with --git, a revision", "?"),
                Argument("NEW", "a file or a folder; with --git, a revision", "?"),
            ),
            (WRITTEN, GIT, ROOT, JSON, *_ALWAYS),
        ),
        Command(
            "convert", "writing", "write the same patch in another format",
            "The root is the tree the patch is for; it is read only if the edits have to be located.",
            (ANSWER,), (TO._replace(required=True), *_SOURCE, OVERWRITE, JSON, *_ALWAYS),
        ),
        Command(
            "invert", "writing", "write the patch that undoes another one",
            "The root is the tree before the patch is applied; the new patch is for the tree after. In the same "
            "format, unless --to names one.",
            (ANSWER,), (TO, *_SOURCE, OVERWRITE, JSON, *_ALWAYS),
        ),
        Command(
            "schema", "information", "print a format's tool definition, or its grammar",
            "For formats that models call as tools: begin-patch, json-edits, symbol-chunks. With --lark, the grammar "
            "of a text format, for engines that let a model write nothing else.",
            (FORMAT_NAME,), (FOR, LARK, *_ALWAYS),
        ),
        Command(
            "tokens", "writing", "show what the same change costs in every format",
            "The change is a patch, or with --git the one between two revisions, as for make. Counts tokens if the "
            "extra anypatch[tokens] is installed, otherwise characters.",
            (
                ANSWER._replace(help=f"{ANSWER.help}; with --git, a revision"),
                Argument("REV", "with --git, the second revision", "?"),
            ),
            (GIT, *_SOURCE, JSON, *_ALWAYS),
        ),
        Command(
            "outline", "symbols", "list the functions, classes and other symbols of files",
            "Each with its lines, its kind and its name path. Of a folder, all files in a known language are listed; "
            "hidden ones are skipped.",
            (Argument("FILE", "source files or folders", "+"),), (DEPTH, KIND, *_ENGINE, JSON, *_ALWAYS),
        ),
        Command(
            "read", "symbols", "print one symbol with its hash", "",
            (SOURCE_FILE, NAME_PATH), (LEAD, *_ENGINE, JSON, *_ALWAYS),
        ),
        Command(
            "rename", "symbols", "rename a symbol wherever it is used",
            "A language server says where; all files are changed or none, and it can be undone. Needs a server for "
            "the file's language; anypatch[lsp] includes those for Python, C and C++.",
            (
                SOURCE_FILE._replace(help="the file that defines it, relative to the root"), NAME_PATH,
                Argument("NEW", "its new name"),
            ),
            (ROOT, DRY_RUN, LSP_TIMEOUT, HARDLINKS, *_STORAGE, *_REPORTS, QUIET, *_ALWAYS),
        ),
        Command(
            "batch", "batch", "apply many answers, each to its own files, in memory",
            "RESULTS gets a row for each answer, in order. docs/batch.md has the columns. No tree is changed.",
            (
                Argument(
                    "ANSWERS", "a table, .jsonl, .jsonl.gz, .json, .parquet, or - for JSON lines on standard input: a "
                    "row for each answer, with its files or with repo and base_commit",
                ),
            ),
            (
                OUT, REPOS, INSTANCES, COLUMN, FORMAT, ACCEPT, BATCH_PARTIAL, BATCH_SYNTAX, ENGINE, WORKERS, RESUME,
                REPLACE, SUMMARY, REPORT, JSON, QUIET, *_ALWAYS,
            ),
        ),
        Command(
            "mcp", "serve", "serve coding agents over the Model Context Protocol",
            "HTTP needs the extra anypatch[mcp]. Nothing outside the roots is touched.",
            (),
            (
                ROOTS, HTTP, ALLOW_REMOTE, STRUCTURED, LSP, ALLOW_SENSITIVE, *_SYNTAX, HARDLINKS, LIMIT, *_STORAGE,
                *_ALWAYS,
            ),
            _AGENTS,
        ),
        Command(
            "hook", "hook", "fix the edits that an agent makes with its own tools, before they are made",
            "Called by the agent, with the event as JSON on standard input. A call whose text is not in the file "
            "exactly as written, but can mean only one place, is answered with one that fits; a file about to be "
            "overwritten by a part of itself is refused; everything else passes. The log also lists what was fixed "
            "or denied. `hook install CLIENT` shows what the client's settings in this project need, and --write "
            "writes it.",
            (
                Argument("install", "the word install", "?", ("install",)),
                Argument("CLIENT", "the agent", "?", CLIENTS),
            ),
            (ROOT, WRITE, JSON, *_ALWAYS),
        ),
        Command(
            "shims", "shims", "put apply_patch and str_replace_editor on PATH, which models call anyway",
            "Installs apply_patch, applypatch and str_replace_editor: each reads what its original reads, and applies "
            "it as anypatch does, so that `anypatch undo` undoes it. A program that exists already is never replaced. "
            "Without install or uninstall, they are listed.",
            (Argument("ACTION", "what to do", "?", ("install", "uninstall")),), (DIR, *_ALWAYS),
        ),
        Command(
            "replay", "replay", "say which failed edit calls of agents here would have been applied",
            "Reads the transcripts that Claude Code, Codex, Gemini CLI and opencode keep on this machine, or those in "
            "PATH, and replays every edit call in memory on the file as the transcript has it. Nothing is sent "
            "anywhere, and nothing is written but the page of --html.",
            (Argument("PATH", "a transcript, or a folder of them (default: the clients' own folders)", "?"),),
            (REPLAY_HTML, JSON, *_ALWAYS),
        ),
        Command(
            "completions", "information", "print the completions for bash, zsh or fish",
            "For instance, for bash: anypatch completions bash > ~/.local/share/bash-completion/completions/anypatch",
            (Argument("SHELL", "the shell", choices=SHELLS),), _ALWAYS,
        ),
        Command(
            "help", "information", "show the help of the program or a command", "",
            (Argument("TOPIC", "a command", "?"),), _ALWAYS,
        ),
    )
}  # fmt: skip

GLOBAL = (ROOT, COLOR, VERSION, HELP)
GROUPS = (
    ("everyday", "apply check review undo log show"),
    ("more on changes", "diff redo recover explain"),
    ("write patches", "make convert invert tokens formats prompt schema"),
    ("symbols", "outline read rename"),
    ("for programs", "mcp hook shims batch replay completions help"),
)
ABOUT = (
    "anypatch applies the edits in a language model's answer: each to the one right place or not at all, "
    "every file or none. What it does can be undone."
)
EXAMPLES = (
    ("anypatch --paste", "apply the answer that is on the clipboard"),
    ("anypatch answer.md", "apply an answer from a file; a pipe works, too"),
    ("anypatch undo", "undo it"),
)
EXIT_CODES = (
    ("0", "done"),
    ("1", "refused; no file was touched"),
    ("2", "the answer or the command line can't be read; no file was touched"),
    ("3", "the system reported an error; the files were put back"),
    ("4", "applied in part, as --partial allows; the rest is printed"),
)
