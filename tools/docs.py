"""Writes what is generated in docs/: formats, prompts, commands, errors, API, llms.txt. `--check`: is it current?"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import re
import sys
from pathlib import Path

import yaml

import anypatch
from anypatch import api, hints, schema
from anypatch.answer.dialects import DIALECTS, TAGGED
from anypatch.author.costs import default_measure
from anypatch.cli.options import ABOUT, COMMANDS, EXIT_CODES
from anypatch.match.ladder import CLAIMS, GUARDS, LEVELS, READINGS
from anypatch.problems import KINDS
from anypatch.propose.rules import RULES as PROPOSAL_RULES

sys.path[:0] = [str(Path(__file__).parent.parent / "tests")]

from support.examples import examples_of  # noqa: E402 - the tests lie beside

DOCS = Path(__file__).parent.parent / "docs"
MADE = "<!-- made by `make docs`; edit the sources, not this page -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its name."""
    made = {
        "formats.md": formats_page(),
        "prompts.md": prompts_page(),
        "commands.md": commands_page(),
        "errors.md": errors_page(),
        "leniencies.md": leniencies_page(),
        "proposals.md": proposals_page(),
        "api.md": api_page(),
        "result.schema.json": json.dumps(anypatch.Result.json_schema(), indent=1) + "\n",
    }
    return {**made, "llms.txt": llms(made)}


def llms(made: dict[str, str]) -> str:
    """Return the list of pages for models (llmstxt.org): each with its first sentence, in the order of the site."""
    site = yaml.safe_load((DOCS.parent / "mkdocs.yml").read_text())
    parts = [f"# {site['site_name']}\n\n> {site['site_description']}"]
    for section in site["nav"]:
        for title, names in section.items():
            parts.append(f"\n## {title}\n")
            parts += [f"- [{heading}]({name}): {first}" for name in names for heading, first in [opening(name, made)]]
    return "\n".join(parts) + "\n"


def opening(name: str, made: dict[str, str]) -> tuple[str, str]:
    """The heading of a page and its first sentence."""
    text = made.get(name) or (DOCS / name).read_text()
    heading, body = re.sub(r"<!--.*?-->\n*", "", text).split("\n", 1)
    paragraph = " ".join(re.split(r"\n\s*\n", body.strip())[0].split())
    paragraph = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", paragraph)
    return heading.removeprefix("# "), re.split(r"(?<=[.!?]) |:$", paragraph)[0]


def formats_page() -> str:
    found = api.formats()
    said = sorted(set().union(*(format.can for format in found)))
    parts = [MADE, "# Formats\n", "These formats are detected, read and written. What each of them can express:\n"]
    parts.append("| format | " + " | ".join(word.replace("_", " ") for word in said) + " |")
    parts.append("|---" * (len(said) + 1) + "|")
    for format in found:
        marks = " | ".join("yes" if word in format.can else "–" for word in said)
        parts.append(f"| [{format.name}](#{format.name}) | {marks} |")
    for format in found:
        parts.append(f"\n## {format.name}\n\n{format.summary}.")
        parts += [
            f"\n{one.title[0].upper()}{one.title[1:]}:\n\n{fenced(one.patch)}" for one in examples_of(format.name)
        ]
        dialects = [(row.vendor, row.example) for row in DIALECTS if format.name == "json-edits"]
        dialects += [(row.vendor, row.example) for row in TAGGED if format.name == "search-replace"]
        parts += [f"\nAs {vendor} has it:\n\n{fenced(example)}" for vendor, example in dialects]
    return "\n".join(parts) + "\n"


def prompts_page() -> str:
    measure = default_measure()
    parts = [MADE, "# Prompts and tools\n"]
    parts.append(
        "The text that teaches a format to a model (`anypatch prompt NAME`), and its definition as a tool "
        "(`anypatch schema NAME`). Tokens are counted with cl100k_base."
    )
    for format in api.formats():
        parts.append(f"\n## {format.name}\n\n{measure.count(format.prompt)} {measure.unit}.\n\n{fenced(format.prompt)}")
        if format.tool:
            defined = json.dumps(schema(format.name, "mcp"), indent=2, ensure_ascii=False)
            parts.append(f"\nAs a tool, for MCP:\n\n{fenced(defined)}")
    return "\n".join(parts) + "\n"


def commands_page() -> str:
    parts = [MADE, "# Commands", "", ABOUT, "", "    anypatch COMMAND [ARGUMENTS] [OPTIONS]", ""]
    for command in COMMANDS.values():
        parts += [f"## {command.name}", "", f"    anypatch {command.synopsis} [OPTIONS]", "", command.sentence]
        parts += ["", command.about] if command.about else []
        parts += ["", "| argument | meaning |", "|---|---|"] if command.arguments else []
        parts += [f"| `{argument.metavar}` | {argument.description} |" for argument in command.arguments]
        parts += ["", "| option | meaning |", "|---|---|"]
        parts += [f"| `{option.usage}` | {option.description} |" for option in command.options]
        parts += ["", "| agent | what to do |", "|---|---|"] if command.copied else []
        parts += [f"| {name} | `{line}` |" for name, line in command.copied]
        parts.append("")
    parts += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    parts += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES]
    return "\n".join(parts) + "\n"


def errors_page() -> str:
    parts = [
        MADE,
        "# Errors\n",
        "Every problem is of one of these kinds, which `--json` and the library give as `kind`. What to do about it",
        "depends on who reads it: `advice` is for the model that wrote the edits, `hint` for the person who applies",
        "them. Many problems have more exact ones than these. The command line adds its options to the hint.\n",
    ]
    parts += ["| kind | exit code | meaning | advice | hint |", "|---|---|---|---|---|"]
    parts += [
        f"| `{kind.id}` | {kind.exit} | {kind.title} | {kind.advice} "
        f"| {f'{kind.hint or kind.advice} {kind.command}'.strip() if kind.hint or kind.command else 'the same'} |"
        for kind in KINDS.values()
    ]
    return "\n".join(parts) + "\n"


# The names in the reference, in the order of use.
PUBLIC = {
    "Apply an answer": "apply preview apply_to apply_to_async parse Parsed Answer FormatName Accept SyntaxCheck",
    "What comes back": "Result ResultDict Status Change Block Proposal Problem Near Correction Note KINDS Kind "
    "ProblemKind PatchError Receipt",
    "Decide about each hunk": "review Review ReviewedBlock ReviewedEdit ReviewedFile Hunk Line Choice Option",
    "While the model writes": "Feed Part",
    "Undo and redo": "undo redo recover log show",
    "Where files come from": "Tree AsyncTree Files Directory view",
    "How changes are made": "Settings Durability Limits",
    "Compare answers": "effect same_effect",
    "Write patches": "make make_git convert invert schema format_named",
    "Symbols": "outline find read Symbol rename Servers",
}
# The descriptions of those that have no docstring of their own.
VALUES = {
    "Answer": "What a model wrote: text, or the dict or list that a vendor's SDK returns.",
    "FormatName": "The name of a format; `diff` is another one for `unified`.",
    "Accept": "Which proposals to take: none, all, or those of some rules. With None they are only shown.",
    "SyntaxCheck": "What to do about a file that parsed before and no longer would.",
    "Status": 'What became of an answer; `ok` is true for "applied" alone.',
    "KINDS": "Everything that can go wrong: each `Kind` by its name. [Errors](errors.md) lists them.",
    "ProblemKind": "The name of a kind of problem.",
    "Durability": "What a change survives: `none`, a crash; `batch`, `full`, a power cut ([more](guarantees.md)).",
}
EXAMPLES = DOCS.parent / "examples" / "library.md"  # run by tests/test_docs.py


LOGGING = (
    'The library logs below `logging.getLogger("anypatch")`: `INFO` when a change was applied, undone, redone or '
    "recovered after a crash, `DEBUG` when an answer was planned or a hook has answered. It prints nothing by itself. "
    "The command prints these records to standard error with `ANYPATCH_DEBUG=1`, which also shows the traceback of an "
    "internal error."
)


def leniencies_page() -> str:
    """Everything that is forgiven, chosen by or refused when an edit is placed, with what it is worth."""
    parts = [
        """# What is forgiven, and what it is worth

An edit is applied if the tree has exactly one place for it, by the lists below. They are closed: what isn't on them is
refused, with the nearest lines and, where one is proven to fit, a corrected edit.

*Evidence*: the rows of each measure that are no longer right when the rule is switched off, and in brackets those that
become right; a level is switched off with the looser ones, which include it. The measures: answers of real models
(`real`), cases of other tools' test suites (`peers`), real changes told with mistakes (`mistakes`), the formats' own
conformance cases (`spec`), edits as chat answers, tool calls and files (`chat`, `shape`).
`python bench/leniencies.py ROWS.jsonl` counts them.

## Levels

Climbed in the order that the format names; the first level with a place decides, and it must be the only one there.

| level | the answer has | the file has | evidence |
|---|---|---|---|"""
    ]
    for level in LEVELS.values():
        patch, file = (f"`{text}`" for text in level.example)
        parts.append(f"| {level.name} | {patch} | {file} | {level.evidence or '-'} |")
    lists = {
        "Readings": ("If no level has a place, the old text may have been spoilt in copying.", READINGS),
        "Claims": ("What chooses between several places, or rules one out in formats that say so.", CLAIMS),
        "Guards": ("What is refused, or not done again, although it could be done.", GUARDS),
    }
    for title, (about, listed) in lists.items():
        parts += [f"\n## {title}\n", f"{about}\n", "| name | rule | example | evidence |\n|---|---|---|---|"]
        parts += [f"| {rule.name} | {rule.says} | {rule.example} | {rule.evidence or '-'} |" for rule in listed]
    return MADE + "\n".join(parts) + "\n"


def proposals_page() -> str:
    """The rules by which a fence without marks becomes a proposal, with how often each is right."""
    parts = [
        """# Proposals

A diff, a SEARCH/REPLACE block or a tool call *says* that it is an edit. A fence of code in a chat answer doesn't: it
may be the new version of a function, a quote, an example or a command. anypatch reads no sentence to find out. It
lays the fence over the files of the tree; if one of four rules fits, that is a **proposal**, which somebody has to
see. Words decide nothing, so it makes no difference whether the answer is in English, German or Chinese.

By default a proposal holds everything back, marked edits included: the result is `proposed`, `result.blocks` lists
every block of the answer with what became of it, and the exit code is 1. On a terminal `anypatch apply` shows the
change and asks. Otherwise:

| `accept` (`--accept`) | what happens |
|---|---|
| left out | with a proposal nothing is written; the report says what would be |
| `none` | the marked edits alone are applied; proposals are listed |
| `symbol,file` or any of the rules | proposals of these rules are taken; one of another rule holds everything back |
| `all` | all proposals are taken |

Two fences for the same lines are **alternatives**: none is chosen, whatever is accepted. `-y` alone accepts no
proposal.

## The rules

*Right* is how many of the answers came out as their authors had it, with all proposals accepted (`python
bench/proposals.py ROWS.jsonl`): answers of real models, and real changes retold as chat answers, whole files and
files shown in part.

| rule | a fence is that, if | it becomes | right, real | right, retold |
|---|---|---|---|---|"""
    ]
    parts += [f"| `{row.name}` | {row.when} | {row.becomes} | {row.real} | {row.retold} |" for row in PROPOSAL_RULES]
    parts.append(
        """
Of 3,145 answers with marked edits none was held back by a proposal. What goes wrong: a file that is rewritten so that
less than half of it stays is treated as its functions; a part of a file that ends in brackets only may replace too
little.

## Which file

The fence's info string (`python src/a.py`), a path alone on the line above it or in its first comment is a label.
Without one, the last word above that names a file of the tree, else the file of the fence before. A word is a path
because the tree has it. A heading is a label only if the tree has that file or it holds a slash: `## Node.js` isn't
one. Shell and output fences never propose, unless the label has that suffix.

With `format="whole-file"` or `format="elided"` a path and a fence are marked: then they are edits, not proposals."""
    )
    return MADE + "\n".join(parts) + "\n"


def api_page() -> str:
    before, *examples = re.split(r"^## (\w+)\n", EXAMPLES.read_text(), flags=re.MULTILINE)
    example = dict(zip(examples[::2], examples[1::2], strict=True))
    parts = [MADE, "# The library\n", inspect.cleandoc(anypatch.__doc__ or "").split("\n\n")[0]]
    parts.append("\n[result.schema.json](result.schema.json) is the JSON schema of `Result.to_dict()`.")
    parts.append(f"\n{before.strip()}")
    for title, names in PUBLIC.items():
        parts.append(f"\n## {title}")
        for name in names.split():
            parts += [*documented(name, getattr(anypatch, name)), f"\n{example[name].strip()}"]
    parts.append(f"\n## Logging\n\n{LOGGING}")
    return "\n".join(parts) + "\n"


def documented(name: str, value: object) -> list[str]:
    """A function with its arguments, or a class with what it has of its own."""
    is_class = inspect.isclass(value)
    lines = [f"\n### {name}\n", fenced(written(name, value), "text"), "", VALUES.get(name) or described(value)]
    for member, found in vars(value).items() if is_class else ():
        found = found.__func__ if isinstance(found, staticmethod | classmethod) else found  # noqa: PLW2901
        if member.startswith("_") or member in getattr(value, "__slots__", ()):
            continue
        if isinstance(found, property):
            if f"    {member}: " not in (value.__doc__ or ""):
                lines.append(f"- `.{member}`: {described(found)}")
        elif inspect.isfunction(found):
            lines.append(f"- `.{written(member, found)}`: {described(found)}")
    return lines


def written(name: str, value: object) -> str:
    if inspect.isclass(value):  # of a named tuple, or of a class derived from one, the fields
        bases = [base for base in value.__mro__ if "_fields" in vars(base)]
        if dataclasses.is_dataclass(value) and "Attributes:" not in (value.__doc__ or ""):
            return "\n".join([f"class {name}:", *(f"    {one.name}: {one.type}" for one in dataclasses.fields(value))])
        if not bases:
            return f"class {name}"
        hints, defaults = inspect.get_annotations(bases[0]), vars(bases[0])["_field_defaults"]
        types = {field: getattr(hint, "__forward_arg__", hint) for field, hint in hints.items()}
        defaulted = {field: f" = {defaults[field]!r}" if field in defaults else "" for field in types}
        return "\n".join([f"class {name}:", *(f"    {field}: {types[field]}{defaulted[field]}" for field in types)])
    if isinstance(value, dict):
        return f"{name}: dict[str, Kind]"
    if not inspect.isroutine(value):
        return f"{name} = {alias(name)}"
    signature = inspect.signature(value)
    told = []
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in told:
            told.append("*")
        default = "" if one.default is one.empty else f" = {one.default!r}"
        told += [f"{one.name}: {one.annotation}{default}"] if one.name != "self" else []
    line = f"{name}({', '.join(told)}) -> {signature.return_annotation}"
    return line if len(line) <= 100 else line.replace(", ".join(told), "\n    " + ",\n    ".join(told) + ",\n")


def alias(name: str) -> str:
    """A type as hints.py has it, without what only hosts of tools see of it."""
    for node in ast.parse(inspect.getsource(hints)).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            match node.value:
                case ast.Subscript(ast.Name("Annotated"), ast.Tuple([shown, *_])):
                    return ast.unparse(shown)
                case ast.expr() as shown:
                    return ast.unparse(shown)
    raise LookupError(name)


def described(value: object) -> str:
    """A docstring, its lists of arguments as a list."""
    text = inspect.cleandoc(value.__doc__ or "")
    text = re.sub(r"\n {8}", " ", text)
    return re.sub(r"\n(?:Args|Attributes):\n", "\n", re.sub(r"^ {4}(\w+): ", r"- `\1`: ", text, flags=re.MULTILINE))


def fenced(text: str, language: str = "") -> str:
    longest = max((len(line) - len(line.lstrip("`")) for line in text.split("\n")), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def main() -> int:
    stale = [name for name, text in pages().items() if not (DOCS / name).is_file() or (DOCS / name).read_text() != text]
    if "--check" in sys.argv:
        print("up to date" if not stale else f"run `make docs`: {', '.join(stale)}")
        return 1 if stale else 0
    DOCS.mkdir(exist_ok=True)
    for name, text in pages().items():
        (DOCS / name).write_text(text)
    print(f"wrote {', '.join(pages())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
