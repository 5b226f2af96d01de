"""Writes the generated pages of docs/: formats, prompts, commands, errors. `--check` tells whether they are current."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from anypatch import api, schema
from anypatch.author.make import counter
from anypatch.cli.options import commands_markdown
from anypatch.parsing.dialects import DIALECTS, TAGGED
from anypatch.problems import KINDS

DOCS = Path(__file__).parent.parent / "docs"
MADE = "<!-- made by `make docs`; edit the sources, not this page -->\n"


def pages() -> dict[str, str]:
    """Every generated page by its name."""
    return {
        "formats.md": formats_page(),
        "prompts.md": prompts_page(),
        "commands.md": f"{MADE}\n{commands_markdown().strip()}\n",
        "errors.md": errors_page(),
    }


def formats_page() -> str:
    found = api.formats()
    said = sorted(set().union(*(format.can for format in found)))
    parts = [MADE, "# Formats\n", "What each format is able to say:\n"]
    parts.append("| format | " + " | ".join(word.replace("_", " ") for word in said) + " |")
    parts.append("|---" * (len(said) + 1) + "|")
    for format in found:
        marks = " | ".join("yes" if word in format.can else "–" for word in said)
        parts.append(f"| [{format.name}](#{format.name}) | {marks} |")
    for format in found:
        parts.append(f"\n## {format.name}\n\n{format.summary}.")
        parts += [f"\n{one.title[0].upper()}{one.title[1:]}:\n\n{fenced(one.patch)}" for one in format.examples]
        dialects = [(row.vendor, row.example) for row in DIALECTS if format.name == "json-edits"]
        dialects += [(row.vendor, row.example) for row in TAGGED if format.name == "search-replace"]
        parts += [f"\nAs {vendor} has it:\n\n{fenced(example)}" for vendor, example in dialects]
    return "\n".join(parts) + "\n"


def prompts_page() -> str:
    measure = counter()
    parts = [MADE, "# Prompts and tools\n"]
    parts.append("What `anypatch prompt NAME` and `anypatch schema NAME` print. Tokens are those of cl100k_base.")
    for format in api.formats():
        parts.append(f"\n## {format.name}\n\n{measure.count(format.prompt)} {measure.unit}.\n\n{fenced(format.prompt)}")
        if format.is_tool:
            defined = json.dumps(schema(format.name, "mcp"), indent=2, ensure_ascii=False)
            parts.append(f"\nAs a tool, for MCP:\n\n{fenced(defined)}")
    return "\n".join(parts) + "\n"


def errors_page() -> str:
    parts = [MADE, "# What can go wrong\n", "Every problem has one of these kinds; `--json` names it in `kind`.\n"]
    parts += ["| kind | exit code | meaning | what to do |", "|---|---|---|---|"]
    parts += [
        f"| `{kind.id}` | {kind.exit} | {kind.title} | {f'{kind.advice} {kind.command}'.strip()} |"
        for kind in KINDS.values()
    ]
    return "\n".join(parts) + "\n"


def fenced(text: str) -> str:
    longest = max((len(line) - len(line.lstrip("`")) for line in text.split("\n")), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text.rstrip()}\n{fence}"


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
