"""Real changes told as chat answers tell them: a path, and a fence that often shows only a part. Is a file destroyed?

    python bench/chat_answers.py                         the last 300 commits of this repository
    python bench/chat_answers.py --repo DIR --last 50    of another one

Each file that a commit edits is told in several ways: the changed lines with their neighbours, the symbols that
changed, both with labels that models write, and the whole file. right: the file is as the commit left it, or, of a
part, holds it and has lost nothing else. refused: nothing was written. destroyed: lines are gone that stand in the
file before and after the commit. The goal is that none is.
"""

from __future__ import annotations

import argparse
import difflib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from anypatch import apply_to, symbols
from anypatch.problems import Refused
from anypatch.text import decode
from roundtrip import commits, is_text

TOP = Path(__file__).parent.parent
_LANGUAGES = {"py": "python", "md": "markdown", "js": "js", "ts": "ts", "toml": "toml", "yml": "yaml", "json": "json"}
_AROUND = 3  # lines that are quoted above and below a change


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--repo", default=str(TOP))
    options.add_argument("--last", type=int, default=300)
    options.add_argument("-v", action="store_true", help="name what was destroyed")
    chosen = options.parse_args()
    counts: dict[str, Counter[str]] = {}
    for commit, _, changes in commits(chosen.repo, chosen.last):
        for change in changes:
            if change.before and change.after and is_text(change):
                before, after = decode(change.before.data), decode(change.after.data)
                for way, answer in answers(change.path, before, after):
                    became = judged(answer, change.path, before, after)
                    counts.setdefault(way, Counter())[became] += 1
                    if became == "destroyed" and chosen.v:
                        print(commit, change.path, way)
    print(f"{'told as':42}{'answers':>9}{'right':>9}{'refused':>9}{'destroyed':>11}")
    for way, found in counts.items():
        print(f"{way:42}{sum(found.values()):9}{found['right']:9}{found['refused']:9}{found['destroyed']:11}")
    return 1 if any(found["destroyed"] for found in counts.values()) else 0


def answers(path: str, before: str, after: str) -> Iterator[tuple[str, str]]:
    """The same change in the ways that chat answers tell it."""
    language = _LANGUAGES.get(path.rpartition(".")[2], "")
    whole = _fenced(language, after)
    yield "whole file", f"{path}\n{whole}"
    parts = hunks(before, after)
    if parts:
        quoted = _fenced(language, "\n".join(parts[0]) + "\n")
        every = _fenced(language, "\n\n".join("\n".join(part) for part in parts) + "\n")
        yield "path, then the first changed place", f"In {path} change this:\n\n`{path}`\n{quoted}"
        yield "path, then all changed places", f"{path}\n\n{every}"
        yield "label, then the first changed place", f"**{path}** (updated)\n{quoted}\nThe rest stays as it is.\n"
        yield "heading, then all changed places", f"### `{path}`\n\n{every}"
        yield "title of the fence, then all changed places", every.replace("\n", f" {path}\n", 1)
    shown = changed_symbols(path, before, after)
    if shown:
        yield "path, then the changed symbols", f"Here is the new version:\n\n{path}\n{_fenced(language, shown)}"


def _fenced(language: str, text: str) -> str:
    fence = "`" * 3
    while fence in text:
        fence += "`"
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}\n"


def hunks(before: str, after: str) -> list[list[str]]:
    """The new lines of each change, with their neighbours."""
    old, new = before.split("\n"), after.split("\n")
    groups = difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_AROUND)
    return [new[group[0][3] : group[-1][4]] for group in groups]


def changed_symbols(path: str, before: str, after: str) -> str:
    """The outermost symbols of the new text that the old one has otherwise, whole."""
    try:
        old, new = (symbols.outline(text, path=path, depth=1) for text in (before, after))
    except Refused:
        return ""
    known = {symbol.text for symbol in old}
    return "\n\n\n".join(symbol.text for symbol in new if symbol.text not in known)


def judged(answer: str, path: str, before: str, after: str) -> str:
    files = apply_to(answer, {path: before})
    if not files.report.ok:
        return "refused"
    now = str(files[path])
    if now == after or (now == before and before == after):
        return "right"
    lost = Counter(before.split("\n")) & Counter(after.split("\n"))
    lost.subtract(Counter(now.split("\n")))
    return "destroyed" if any(count > 0 and line.strip() for line, count in lost.items()) else "right"


if __name__ == "__main__":
    raise SystemExit(main())
