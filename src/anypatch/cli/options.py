"""The one table of commands and options, and the reading of arguments by it. Prints nothing, runs nothing.

Parsing, help, completions and the documentation page are all made from `COMMANDS`. Why not argparse: ARCHITECTURE.md,
"Decisions that a measurement made".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..hints import Accept, SyntaxCheck


class Option(NamedTuple):
    """One option: `names` are shown, the last and long one keys its value; `also` is only understood."""

    names: tuple[str, ...]
    help: str
    value: str = ""
    choices: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    many: bool = False  # given more than once, the values stand behind each other, with NUL between them
    optional: str = ""  # what the value is of an option that may go without one: --fix or --fix=2

    @property
    def key(self) -> str:
        """The name its value is found under."""
        return self.names[-1].lstrip("-")


class Command(NamedTuple):
    """One command: its arguments ("" for none, in brackets where they may be left out, dots: many), options, words."""

    name: str
    argument: str
    summary: str
    about: str
    options: tuple[Option, ...]
    choices: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()  # rows below the options, with what they are for in front


class Call(NamedTuple):
    """What was asked for: the command ("usage" for none at all), its first argument, the options given, all files."""

    command: str
    argument: str | None
    given: dict[str, str]
    arguments: tuple[str, ...] = ()

    def has(self, key: str) -> bool:
        """Whether an option was given."""
        return key in self.given

    @property
    def root(self) -> str:
        """The directory to work in: the one named, or the one that was found upwards from here."""
        return self.given.get("root", "") or self.given.get("found", ".")

    @property
    def below(self) -> str:
        """The folder below the root in which the call was made; "" for the root itself, and where the root is named."""
        return self.given.get("below", "")

    @property
    def format(self) -> str:
        """The name of the patch's format; "" to find it out."""
        return self.given.get("format", "")

    @property
    def overwrite(self) -> bool | None:
        """Whether files may be overwritten; None as the format says."""
        return True if self.has("overwrite") else False if self.has("no-overwrite") else None

    @property
    def accept(self) -> Accept:
        """The proposals that are taken: "all", "none", or those of some rules; None to be shown them."""
        given = self.given.get("accept")
        if given in (None, "all", "none"):
            return given  # type: ignore[return-value]
        return given.split(",")  # type: ignore[return-value]

    @property
    def syntax(self) -> SyntaxCheck:
        """What becomes of a file that parsed and no longer would."""
        given: SyntaxCheck = self.given.get("syntax", "warn")  # type: ignore[assignment]
        return "refuse" if self.has("strict") else given


class BadCall(Exception):
    """The arguments cannot be understood; the text says why in one sentence."""


HELP = Option(("-h", "--help"), "show this help")
VERSION = Option(("-V", "--version"), "show the version")
COLOR = Option(("--color",), "when to use colours", "WHEN", ("auto", "always", "never"))
ROOT = Option(("-C", "--root"), "the directory to work in (default: the nearest above with .anypatch or .git)", "DIR")
YES = Option(("-y", "--yes"), "apply without asking; otherwise, on a terminal, the change is shown first")
VERBOSE = Option(("-v", "--verbose"), "show each place, how it was found, and what was odd in the answer")
ONLY = Option(("--only",), "apply only the edit with this number; several with commas", "N")
FIX = Option(
    ("--fix",), "where edits don't fit, take the corrections that were shown; of several, those of these numbers",
    optional="N",
)  # fmt: skip
COPY = Option(("--copy",), "put the report for the model on the clipboard")
REVERSE = Option(("-R", "--reverse"), "apply the inverse: undo what the answer says")
STRIP = Option(("-p", "--strip"), "accepted as in patch, but not needed: the level is found by itself", "N")
FORMAT = Option(("--format",), "the format of the edits, instead of detecting it; diff means unified", "NAME")
FILE = Option(("--file",), "the file of fences and edits that name none", "PATH")
JSON = Option(("--json",), "print one JSON object")
QUIET = Option(("-q", "--quiet"), "print nothing but refusals", also=("--quite",))
PASTE = Option(("--paste",), "take the answer from the clipboard")
STDIN = Option(("--stdin",), "take the answer from standard input, as - does")
OVERWRITE = Option(("--overwrite",), "let new files replace existing ones, and shown files lose what they don't show")
NO_OVERWRITE = Option(("--no-overwrite",), "refuse new files where one exists, even if the format allows it")
AGAIN = Option(("--again",), "apply it even if this patch was the last one applied")
ACCEPT = Option(
    ("--accept",), "what to do with proposals, which are fences of code that aren't marked as edits: take all, none, "
    "or those of some rules (file, lines, symbol, overlay), with commas; otherwise one of them holds everything back",
    "WHICH",
)  # fmt: skip
PARTIAL = Option(("--partial",), "apply what can be placed; print the rest as a patch to send again")
REST = Option(("--rest",), "with --partial: write the rest to this file instead of printing it", "FILE")
SYNTAX = Option(
    ("--syntax",), "what to do about a file that parsed and no longer would (default: warn)", "HOW",
    ("off", "warn", "refuse"),
)  # fmt: skip
STRICT = Option(("--strict",), "the same as --syntax refuse")
DRY_RUN = Option(("-n", "--dry-run"), "show what would happen and write nothing", also=("--dry-ran",))
FORCE = Option(("--force",), "undo even if the files have changed since")
COUNT = Option(("-n", "--number"), "show at most N receipts", "N")
FOR_MODEL = Option(("--for-model",), "print the report for the model that wrote the patch; with --json, add it")
MAX_LINES = Option(("--max-report-lines",), "print at most N lines of a report (for a model: 80 if not given)", "N")
DURABILITY = Option(
    ("--durability",), "what a change survives: none, a crash; batch (default) and full, a power cut as well", "LEVEL",
    ("none", "batch", "full"),
)  # fmt: skip
LOCK_TIMEOUT = Option(
    ("--lock-timeout",), "wait at most N seconds for others to finish changing the tree (default: 10)", "N"
)
STATE_DIR = Option(("--state-dir",), "keep the state there instead of in .anypatch; on the same file system", "DIR")
HARDLINKS = Option(
    ("--hardlinks",), "a file with other hard links: replace (default) this name only, refuse, or keep the link", "HOW",
    ("replace", "refuse", "keep"),
)  # fmt: skip
LIMIT = Option(("--limit",), "change a limit, as in files=20000; several with commas", "NAME=N")

DEPTH = Option(("--depth",), "list at most N levels", "N")
KINDS = Option(("--kind",), "list only symbols of this kind, such as class, function, method", "KIND")
LEAD = Option(("--lead",), "with the comments right above it")
ROOTS = Option(
    ("-C", "--root"), "a directory to work in; may be repeated (default: the client's roots, or here)", "DIR", many=True
)
HTTP = Option(("--http",), "serve over streamable HTTP instead of standard input and output", "[HOST:]PORT")
ALLOW_REMOTE = Option(("--allow-remote",), "with --http: serve other machines, too; there is no password")
LSP = Option(
    ("--lsp",),
    "also offer rename_symbol, by language servers; this turns off the kernel sandbox, in which nothing can be run",
)
STRUCTURED = Option(
    ("--structured",), "send results as JSON, too; most clients then show the model that instead of the text"
)
ALLOW_SENSITIVE = Option(("--allow-sensitive",), "also edit files that other programs run or follow, such as CI files")
SYMBOLS = Option(
    ("--symbols",), "where symbols come from: tree (default), the grammars; lsp, a language server as well",
    "ENGINE", ("tree", "lsp"),
)  # fmt: skip
LSP_TIMEOUT = Option(("--lsp-timeout",), "wait at most N seconds for each answer from a language server", "N")
_LSP = (SYMBOLS, LSP_TIMEOUT)

WRITE = Option(("--write",), "with install: write the settings instead of showing them")
WRITTEN = Option(("--format",), "the format to write", "NAME")
TO = Option(("--to",), "the format to write", "NAME")
GIT = Option(("--git",), "compare revisions of the git repository at the root")
FOR = Option(("--for",), "the vendor to write it for (default: mcp)", "WHOM", ("openai", "anthropic", "mcp"))
LARK = Option(("--lark",), "print the grammar for constrained decoding, in Lark notation")

OUT = Option(("-o", "--out"), "where the results go: .jsonl, .jsonl.gz, .parquet, or - for standard output", "RESULTS")
REPOS = Option(("--repos",), "the folder of git repositories that rows with repo and base_commit name", "DIR")
INSTANCES = Option(("--instances",), "a table with repo and base_commit for each instance_id, as SWE-bench has", "FILE")
COLUMN = Option(
    ("--column",), "the column of id, answer, files, repo or base_commit, as in answer=response; may be repeated",
    "NAME=COLUMN", many=True,
)  # fmt: skip
ENGINE = Option(
    ("--engine",), "what does the work: processes on this machine (default), or a Ray cluster", "WHO", ("local", "ray")
)
WORKERS = Option(("--workers",), "work with N processes (default: one for each core)", "N")
RESUME = Option(("--resume",), "continue an interrupted batch")
SUMMARY = Option(("--summary",), "write the summary to this file, as JSON", "FILE")
BATCH_SYNTAX = SYNTAX._replace(help="what to do about a file that parsed and no longer would (default: off)")
BATCH_PARTIAL = Option(("--partial",), "apply what can be placed")

_CHANGING = (DURABILITY, LOCK_TIMEOUT, STATE_DIR)
_INPUT = (ROOT, FORMAT, PASTE, STDIN)
_SYNTAX = (SYNTAX, STRICT)
_WRITING = (OVERWRITE, NO_OVERWRITE, AGAIN, LIMIT)
_PARTIAL = (PARTIAL, REST)
_REPORTING = (JSON, FOR_MODEL, MAX_LINES)
_EDITS = (FILE, ONLY, REVERSE, STRIP, FIX, ACCEPT)
_COMMON = (COLOR, HELP)
SHELLS = ("bash", "zsh", "fish")
_MCP_JSON = '{"mcpServers": {"anypatch": {"command": "anypatch", "args": ["mcp", "--root", "."]}}}'
AGENTS = (
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

COMMANDS = (
    Command(
        "apply", "[ANSWER]", "apply an answer: all of its edits, or none",
        "ANSWER is a file, or - for standard input, which is also read when none is given. The word apply may be left "
        "out. On a terminal the change is shown before it is made. A refused answer leaves every file as it was; an "
        "applied one can be undone. With --partial the report goes to standard error, the rest to standard output.",
        (
            *_INPUT, *_EDITS, DRY_RUN, YES, COPY, *_WRITING, *_SYNTAX, *_PARTIAL, HARDLINKS, *_CHANGING, *_LSP,
            *_REPORTING, VERBOSE, QUIET, *_COMMON,
        ),
    ),
    Command(
        "check", "[ANSWER]", "say what an answer would do; nothing is written",
        "Shows the diff and ends with the exit code that apply would have.",
        (
            *_INPUT, *_EDITS, COPY, *_WRITING, *_SYNTAX, *_PARTIAL, STATE_DIR, *_LSP, *_REPORTING, VERBOSE, QUIET,
            *_COMMON,
        ),
    ),
    Command(
        "diff", "[ANSWER]", "print what an answer would change, as a unified diff",
        "Nothing is written. For reading, or for other tools: anypatch diff answer.md | git apply",
        (*_INPUT, *_EDITS, *_WRITING, *_SYNTAX, STATE_DIR, *_COMMON),
    ),
    Command(
        "undo", "[ID]", "undo the last change, or the one named",
        "Later edits stay if they don't touch the lines being undone; if they do, the undo is refused and says "
        "which lines, unless forced. log shows the IDs; the beginning of one is enough.",
        (ROOT, FORCE, *_CHANGING, JSON, VERBOSE, QUIET, *_COMMON),
    ),
    Command(
        "show", "[ID]", "show the last change, or the one named, as a diff",
        "log shows the IDs; the beginning of one is enough.", (ROOT, STATE_DIR, JSON, *_COMMON),
    ),
    Command(
        "redo", "[ID]", "redo what was undone",
        "Refused if the files have changed since. An undo can be redone until another answer is applied.",
        (ROOT, *_CHANGING, JSON, VERBOSE, QUIET, *_COMMON),
    ),
    Command(
        "recover", "", "put back what a crash left half done",
        "Every command that changes files does this first; this one does nothing else.",
        (ROOT, *_CHANGING, JSON, QUIET, *_COMMON),
    ),
    Command("log", "", "list the changes that were made, newest first", "", (ROOT, COUNT, STATE_DIR, JSON, *_COMMON)),
    Command("formats", "", "list the formats that are understood", "", (JSON, *_COMMON)),
    Command(
        "prompt", "FORMAT", "print the text that teaches a format to a model",
        "Put it in the model's instructions; `anypatch formats` lists the formats.", _COMMON,
    ),
    Command(
        "explain", "[ANSWER]", "show each stage: what was recognised, read, found, and how",
        "Writes nothing. For finding out why an edit goes where it does, or fits nowhere.",
        (*_INPUT, *_WRITING, JSON, *_COMMON),
    ),
    Command(
        "make", "[OLD] [NEW]", "write the patch from one tree to another",
        "OLD and NEW are two files or two folders; with --git two revisions, or one and the working tree, which is "
        "compared with HEAD if none is given. Refused if the format can't express a change.",
        (WRITTEN, GIT, ROOT, JSON, *_COMMON),
    ),
    Command(
        "convert", "[ANSWER]", "write the same patch in another format",
        "The root is the tree the patch is for; it is read only if the edits have to be located.",
        (TO, *_INPUT, OVERWRITE, JSON, *_COMMON),
    ),
    Command(
        "invert", "[ANSWER]", "write the patch that undoes another one",
        "The root is the tree before the patch is applied; the new patch is for the tree after. In the same format, "
        "unless --to names one.",
        (TO, *_INPUT, OVERWRITE, JSON, *_COMMON),
    ),
    Command(
        "schema", "FORMAT", "print a format's tool definition, or its grammar",
        "For formats that models call as tools: begin-patch, json-edits, symbol-chunks. With --lark, the grammar of a "
        "text format, for engines that let a model write nothing else.", (FOR, LARK, *_COMMON),
    ),
    Command(
        "tokens", "[ANSWER] [REV]", "show what the same change costs in every format",
        "The change is a patch, or with --git the one between two revisions, as for make. Counts tokens if the extra "
        "anypatch[tokens] is installed, otherwise characters.",
        (GIT, *_INPUT, JSON, *_COMMON),
    ),
    Command(
        "outline", "FILE...", "list the functions, classes and other symbols of files",
        "Each with its lines, its kind and its name path. Of a folder, all files in a known language are listed; "
        "hidden ones are skipped.",
        (DEPTH, KINDS, *_LSP, JSON, *_COMMON),
    ),
    Command(
        "read", "FILE NAME_PATH", "print one symbol with its hash",
        "NAME_PATH is Class/method; /Class/method begins at the top; f[1] is the second f.",
        (LEAD, *_LSP, JSON, *_COMMON),
    ),
    Command(
        "rename", "FILE NAME_PATH NEW", "rename a symbol wherever it is used",
        "A language server says where; all files are changed or none, and it can be undone. FILE is relative to the "
        "root. Needs a server for its language; anypatch[lsp] includes those for Python, C and C++.",
        (ROOT, DRY_RUN, LSP_TIMEOUT, HARDLINKS, *_CHANGING, *_REPORTING, QUIET, *_COMMON),
    ),
    Command(
        "batch", "ANSWERS", "apply many answers, each to its own files, in memory",
        "ANSWERS is a table, .jsonl, .jsonl.gz, .json, .parquet, or - for JSON lines on standard input: a row for each "
        "answer, with its files or with repo and base_commit. RESULTS gets a row for each, in order. docs/batch.md has "
        "the columns. No tree is changed.",
        (OUT, REPOS, INSTANCES, COLUMN, FORMAT, ACCEPT, BATCH_PARTIAL, BATCH_SYNTAX, ENGINE, WORKERS, RESUME, SUMMARY,
         JSON, QUIET, *_COMMON),
    ),
    Command(
        "mcp", "", "serve coding agents over the Model Context Protocol",
        "HTTP needs the extra anypatch[mcp]. Nothing outside the roots is touched.",
        (ROOTS, HTTP, ALLOW_REMOTE, STRUCTURED, LSP, ALLOW_SENSITIVE, *_SYNTAX, HARDLINKS, LIMIT, *_CHANGING, *_COMMON),
        more=AGENTS,
    ),
    Command(
        "hook", "[install] [CLIENT]", "fix the edits that an agent makes with its own tools, before they are made",
        "Called by the agent, with the event as JSON on standard input. A call whose text is not in the file exactly "
        "as written, but can mean only one place, is answered with one that fits; a file about to be overwritten by a "
        "part of itself is refused; everything else passes. `hook install CLIENT` shows what the client's settings in "
        "this project need, and --write writes it; the clients are claude, gemini, codex, qwen, cursor, copilot. The "
        "log also lists what was fixed or denied.",
        (ROOT, WRITE, JSON, *_COMMON),
    ),
    Command(
        "completions", "SHELL", "print the completions for bash, zsh or fish",
        "For instance, for bash: anypatch completions bash > ~/.local/share/bash-completion/completions/anypatch",
        (HELP,), SHELLS,
    ),
    Command("help", "[COMMAND]", "show the help of the program or a command", "", (HELP,)),
)  # fmt: skip

GLOBAL = (COLOR, VERSION, HELP)
_APPLY = COMMANDS[0]
CONFLICTS = (
    ("a file", "--stdin"), ("a file", "--paste"), ("--stdin", "--paste"), ("--overwrite", "--no-overwrite"),
)  # fmt: skip


def implied(arguments: Sequence[str], *, piped: bool) -> list[str]:
    """The arguments with the command that goes without saying: `anypatch answer.md`, `anypatch --paste`, a pipe.

    -C may stand before the command, as for git and make. `piped`: standard input is no terminal.
    """
    rest = list(arguments)
    first: list[str] = []
    while rest and rest[0].startswith(("-C", "--root")):
        alone = rest[0] in ("-C", "--root")
        first, rest = [*first, *rest[: 1 + alone]], rest[1 + alone :]
    word = rest[0] if rest else ""
    if word in (*(name for option in GLOBAL for name in option.names), *(command.name for command in COMMANDS)):
        return [*rest[:1], *first, *rest[1:]]
    if word.startswith("--color=") or (not word and not piped and not first):
        return list(arguments)
    looks_like_a_file = word == "-" or "." in word or "/" in word
    if not word or looks_like_a_file or any(word.partition("=")[0] in option.names for option in _APPLY.options):
        return ["apply", *first, *rest]
    return [*rest[:1], *first, *rest[1:]]


def parse(arguments: Sequence[str]) -> Call:
    """The call that the arguments (without the program's name) make, or BadCall."""
    given: dict[str, str] = {}
    at = 0
    while at < len(arguments) and arguments[at].startswith("-"):
        at = _option(arguments, at, GLOBAL, "anypatch", given)
    if "version" in given:
        return Call("version", None, given)
    if "help" in given or at == len(arguments):
        return Call("help" if "help" in given else "usage", None, given)
    command = command_named(arguments[at])
    words: list[str] = []
    at += 1
    while at < len(arguments):
        if arguments[at] == "--":
            words += arguments[at + 1 :]
            break
        if arguments[at].startswith("-") and arguments[at] != "-":
            at = _option(arguments, at, command.options, command.name, given)
        else:
            words.append(arguments[at])
            at += 1
    if "help" in given:
        return Call("help", command.name, given)
    every = tuple(words) if "FILE" in command.argument or " " in command.argument else ()
    call = Call(command.name, words[0] if words else None, given, every)
    _check_words(command, words)
    _check_options(call)
    return call


def command_named(name: str) -> Command:
    """The command of that name, or BadCall with the nearest one."""
    for command in COMMANDS:
        if command.name == name:
            return command
    raise BadCall(f"there is no command {name!r}{_did_you_mean(name, [c.name for c in COMMANDS])}")


def _option(arguments: Sequence[str], at: int, options: Sequence[Option], whose: str, given: dict[str, str]) -> int:
    """Read the option at `at` into `given`; where the next argument is."""
    name, equals, value = arguments[at].partition("=")
    if not name.startswith("--") and len(name) > 2:
        name, equals, value = name[:2], "=", arguments[at][2:]
    option = next((o for o in options if name in o.names or name in o.also), None)
    if option is None:
        shown = arguments[at].partition("=")[0]
        known = [n for o in options for n in o.names if n.startswith("--")]
        if whose == "anypatch" and any(name in o.names for command in COMMANDS for o in command.options):
            raise BadCall(f"{shown} goes after the command: anypatch COMMAND {shown}")
        raise BadCall(f"{whose} has no option {shown!r}{_did_you_mean(shown, known)}")
    if not option.value and equals and not option.optional:
        raise BadCall(f"{name} takes no value")
    if option.value and not equals:
        at += 1
        if at == len(arguments) or (arguments[at].startswith("-") and arguments[at] != "-"):
            raise BadCall(f"{name} needs a value: {name} {option.value}")
        value = arguments[at]
    if (option.value or equals) and not value:
        raise BadCall(f"{name} needs a value")
    if option.choices and value not in option.choices:
        raise BadCall(f"{name} must be one of {', '.join(option.choices)}, not {value!r}")
    before = given.get(option.key, "") if option.many else ""
    given[option.key] = f"{before}\0{value}" if before else value
    return at + 1


def _check_words(command: Command, words: list[str]) -> None:
    """Whether a command has the arguments that it takes."""
    wanted = command.argument.split()
    if len(words) > len(wanted) and not command.argument.endswith("..."):
        most = "takes no argument"
        if wanted:
            most = f"takes {' and '.join(wanted)}" if len(wanted) > 1 else f"takes one {wanted[0].strip('[]')}"
        raise BadCall(f"{command.name} {most}, but there is also {words[len(wanted)]!r}")
    if len(words) < len(wanted) and not command.argument.startswith("["):
        if "FILE" in command.argument:
            raise BadCall(f"{command.name} needs {command.argument}")
        known = f"one of {', '.join(command.choices)}" if command.choices else "see anypatch formats"
        raise BadCall(f"{command.name} needs {command.argument}: {known}")
    if command.choices and words[0] not in command.choices:
        raise BadCall(f"{command.argument} must be one of {', '.join(command.choices)}, not {words[0]!r}")


def _check_options(call: Call) -> None:
    """Whether the options go together, and their numbers are numbers."""
    present = {f"--{key}" for key in call.given}
    if call.argument == "-":
        present.add("--stdin")  # the two say the same, and may stand together
    elif call.argument is not None and not call.has("git"):  # then it is a revision
        present.add("a file")  # what other commands take conflicts with nothing
    for one, other in CONFLICTS:
        if one in present and other in present:
            raise BadCall(f"{one} and {other} can't be used together")
    for key, what in (("only", "an edit"), ("fix", "a correction")):
        told = call.given.get(key) or "1"
        if not all(n.isascii() and n.isdigit() and int(n) for n in told.split(",")):
            raise BadCall(f"--{key} needs the number of {what}, as in 2 or 1,3, not {told!r}")
    accepted = call.given.get("accept", "all")
    if accepted not in ("all", "none") and not set(accepted.split(",")) <= {"file", "lines", "symbol", "overlay"}:
        raise BadCall(f"--accept takes all, none, or some of file, lines, symbol, overlay, not {accepted!r}")
    if call.has("rest") and not call.has("partial"):
        raise BadCall("--rest needs --partial")
    for option in (COUNT, MAX_LINES, DEPTH, WORKERS):
        number = call.given.get(option.key, "1")
        if not (number.isascii() and number.isdigit() and len(number) < 10 and int(number)):
            raise BadCall(f"{option.names[0]} needs a whole number, at least 1, not {number!r}")
    for option in (LOCK_TIMEOUT, LSP_TIMEOUT):
        seconds = call.given.get(option.key, "1")
        if not (seconds.isascii() and seconds.replace(".", "", 1).isdigit() and len(seconds) < 10):
            raise BadCall(f"{option.names[0]} needs a number of seconds, not {seconds!r}")
    if call.has("limit"):
        limits_of(call.given["limit"])


def limits_of(text: str) -> dict[str, int]:
    """The limits that `--limit` names."""
    from ..limits import Limits

    limits = {}
    for part in text.split(","):
        name, _, number = part.partition("=")
        if name not in Limits._fields:
            raise BadCall(f"there is no limit {name!r}{_did_you_mean(name, Limits._fields)}")
        if not (number.isascii() and number.isdigit() and len(number) < 16):
            raise BadCall(f"the limit {name} needs a whole number, not {number!r}")
        limits[name] = int(number)
    return limits


def _did_you_mean(word: str, known: Sequence[str]) -> str:
    from ..similarity import did_you_mean

    asked = did_you_mean(word, known)
    return f"; {asked}" if asked else ""


# ── help texts ──────────────────────────────────────────────────────────────────────────────────────


ABOUT = (
    "anypatch applies the edits in a language model's answer: each to the one right place or not at all, "
    "every file or none. What it does can be undone."
)
EXIT_CODES = (
    ("0", "done"),
    ("1", "refused; no file was touched"),
    ("2", "the answer or the command line can't be read; no file was touched"),
    ("3", "the system reported an error; the files were put back"),
    ("4", "applied in part, as --partial allows; the rest is printed"),
)


EXAMPLES = (
    ("anypatch --paste", "apply the answer that is on the clipboard"),
    ("anypatch answer.md", "apply an answer from a file; a pipe works, too"),
    ("anypatch undo", "undo it"),
)
GROUPS = (
    ("everyday", "apply check undo log show"),
    ("more on changes", "diff redo recover explain"),
    ("write patches", "make convert invert tokens formats prompt schema"),
    ("symbols", "outline read rename"),
    ("for programs", "mcp hook batch completions help"),
)


def program_help(width: int = 80) -> list[str]:
    """The help of the whole program: three examples, then the commands in groups."""
    by_name = {command.name: command for command in COMMANDS}
    lines = [*wrapped("usage: anypatch [COMMAND] [ARGUMENT] [OPTIONS]", width), "", *wrapped(ABOUT, width)]
    lines += ["", "examples:", *_table(EXAMPLES, width)]
    rows = {name: f"{name} {by_name[name].argument}".strip() for name in by_name}
    column = max(map(len, rows.values())) + 4
    for title, names in GROUPS:
        lines += ["", f"{title}:"]
        lines += _table([(rows[name], by_name[name].summary) for name in names.split()], width, column)
    lines += ["", "options:", *_table([(shown(option), told(option)) for option in GLOBAL], width)]
    lines += ["", "exit codes:", *_table(EXIT_CODES, width)]
    return [*lines, "", *wrapped("anypatch COMMAND --help shows a command's options.", width)]


def command_help(command: Command, width: int = 80) -> list[str]:
    """The help of one command."""
    lines = [f"usage: {usage(command)}", "", *wrapped(sentence(command.summary), width)]
    if command.about:
        lines += ["", *wrapped(command.about, width)]
    lines += ["", "options:", *_table([(shown(o), told(o)) for o in command.options], width)]
    if command.more:
        lines += ["", "for each agent:", *(f"  {name}: {line}" for name, line in command.more)]
    return lines


def usage(command: Command) -> str:
    """How a command is called."""
    return " ".join(part for part in ("anypatch", command.name, command.argument, "[OPTIONS]") if part)


def sentence(text: str) -> str:
    """A summary as a sentence."""
    return text[:1].upper() + text[1:] + "."


def shown(option: Option) -> str:
    """An option's names, and what its value is."""
    value = f" {option.value}" if option.value else f"[={option.optional}]" if option.optional else ""
    return ", ".join(option.names) + value


def told(option: Option) -> str:
    """What an option does, and what its value may be."""
    named = all(choice in option.help for choice in option.choices)  # a help that says what each of them does
    return option.help if named else f"{option.help}: {', '.join(option.choices)}"


def _table(rows: Sequence[tuple[str, str]], width: int, column: int = 0) -> list[str]:
    """Two columns; on a narrow terminal the second goes below the first."""
    column = column or max(len(left) for left, _ in rows) + 4
    lines: list[str] = []
    for left, right in rows:
        if width - column < 24:
            lines += [f"  {left}", *(f"      {line}" for line in wrapped(right, width - 6))]
            continue
        first, *more = wrapped(right, width - column) or [""]
        lines.append(f"  {left:<{column - 2}}{first}")
        lines += [" " * column + line for line in more]
    return lines


def wrapped(text: str, width: int) -> list[str]:
    """Words on lines of at most `width` columns, where they are no longer themselves."""
    import textwrap

    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
