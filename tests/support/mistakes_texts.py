"""Mistakes in the text of a patch, made by models or by whatever their answers pass through: functions from text to text."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable

from support.mistakes_spoils import SEQUENTIAL, SIGNED, STATED, Spoil


def in_prose(text: str, path: str, rng: random.Random) -> str:
    return f"I'll make the change you asked for.\n\n{text}\nThis keeps the old behaviour - let me know!\n"


def fenced(text: str, path: str, rng: random.Random) -> str:
    ticks = "````" if "```" in text else "```"
    return f"{ticks}{rng.choice(['', 'diff', 'text'])}\n{text}{ticks}\n"


def fenced_in_prose(text: str, path: str, rng: random.Random) -> str:
    return in_prose(fenced(text, path, rng), path, rng)


def indented_in_prose(text: str, path: str, rng: random.Random) -> str:
    return in_prose(padded(text, path, rng), path, rng)


def listed(text: str, path: str, rng: random.Random) -> str:
    body = fenced(text, path, rng).removesuffix("\n").split("\n")
    return (
        "1. Make this change:\n\n"
        + "".join(f"   {line}\n" if line else "\n" for line in body)
        + "\n2. Run the tests.\n"
    )


def quoted(text: str, path: str, rng: random.Random) -> str:
    return "".join(f"> {line}\n" for line in text.removesuffix("\n").split("\n"))


def heredoc(text: str, path: str, rng: random.Random) -> str:
    return f"apply_patch <<'EOF'\n{text}EOF\n"


def tagged(text: str, path: str, rng: random.Random) -> str:
    name = rng.choice(["patch", "diff", "answer", "edit"])
    return f"<{name}>\n{text}</{name}>\n"


def padded(text: str, path: str, rng: random.Random) -> str:
    pad = rng.choice(["    ", "  ", "\t"])
    return "".join(pad + line + "\n" if line else "\n" for line in text.removesuffix("\n").split("\n"))


def miscounted(text: str, path: str, rng: random.Random) -> str:
    return re.sub(
        r"(?m)^(@@ -\d+),(\d+) (\+\d+),(\d+)",
        lambda m: f"{m[1]},{int(m[2]) + rng.randint(-2, 3)} {m[3]},{int(m[4]) + rng.randint(-2, 3)}",
        text,
    )


def bare_headers(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^@@.*$", rng.choice(["@@ ... @@", "@@", "@@ @@"]), text)


def decorated(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^@@ ?(?!-)(.*)$", lambda m: rng.choice([f"@@ -1,4 +1,5 @@ {m[1]}", f"@@ {m[1]} @@"]), text)


def wrong_heading(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^@@$", "@@ def no_such_function_here(self):", text, count=1)


def signless(text: str, path: str, rng: random.Random) -> str:
    return re.sub(r"(?m)^ (?=[^\n])", "", text)


def cut_off(text: str, path: str, rng: random.Random) -> str | None:
    lines = text.removesuffix("\n").split("\n")
    # Cut right before another hunk, or before a word on the final newline, the text is whole.
    whole = ("@@", "<<<<<<<", "\\")
    spots = [at for at in range(3, len(lines)) if lines[at].strip() and not lines[at].startswith(whole)]
    return "\n".join(lines[: rng.choice(spots)]) + "\n" if spots else None


def without(pattern: str) -> Callable[[str, str, random.Random], str]:
    return lambda text, path, rng: re.sub(rf"(?m)^{pattern}\n", "", text)


def path_as(edit: Callable[[str], str]) -> Callable[[str, str, random.Random], str]:
    return lambda text, path, rng: text.replace(path, edit(path))


def escaped(text: str, path: str, rng: random.Random) -> str:
    return html.escape(text, quote=False)


def unopened(text: str, path: str, rng: random.Random) -> str:
    return fenced(without("<<<<<<< SEARCH")(text, path, rng), path, rng)


def renumbered(text: str, path: str, rng: random.Random) -> str:
    """Give hunks numbers and counts at random."""
    numbers = lambda match: "@@ -{},{} +{},{} @@".format(*(rng.randint(0, 60) for _ in range(4)))  # noqa: E731
    return re.sub(r"(?m)^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@", numbers, text)


PATHS = (*SIGNED, *SEQUENTIAL, "chunk-v2")
TITLED = ("begin-patch", "search-replace")

TEXT_SPOILS = (
    Spoil("prose", in_prose),
    Spoil("fence", fenced),
    Spoil("fence in prose", fenced_in_prose),
    Spoil("CRLF patch", lambda text, path, rng: text.replace("\n", "\r\n")),
    Spoil("BOM", lambda text, path, rng: "\ufeff" + text),
    Spoil("uniformly indented", padded),
    Spoil("indented in prose", indented_in_prose, formats=PATHS),
    Spoil("in a list", listed),
    Spoil("tilde fence", lambda text, path, rng: f"~~~\n{text}~~~\n"),
    Spoil("quoted", quoted, kept=False),
    Spoil("in tags", tagged),
    Spoil("no final newline", lambda text, path, rng: text.rstrip("\n")),
    Spoil("heredoc", heredoc, formats=("begin-patch",)),
    Spoil("path in capitals", path_as(str.upper), kept=False, formats=PATHS),
    Spoil("HTML", escaped, formats=STATED),
    Spoil("miscounted", miscounted, formats=("unified",)),
    Spoil("bare headers", bare_headers, formats=("unified",)),
    Spoil("decorated headers", decorated, formats=("begin-patch",), alone=True),
    Spoil("wrong heading", wrong_heading, formats=("begin-patch",), kept=False),
    Spoil("no sign on context", signless, formats=SIGNED),
    Spoil("cut off", cut_off, formats=(*SIGNED, "search-replace", "json-edits"), kept=False),
    Spoil("no begin", without(r"\*\*\* Begin Patch"), formats=("begin-patch",)),
    Spoil("no end", without(r"\*\*\* End Patch"), formats=("begin-patch",), kept=False),
    Spoil("no envelope", without(r"\*\*\* (?:Begin|End) Patch"), formats=("begin-patch",)),
    Spoil("no old name", without("--- a/.*"), formats=("unified",)),
    Spoil("no new name", without(r"\+\+\+ b/.*"), formats=("unified",)),
    Spoil("no closing mark", without(">>>>>>> REPLACE"), formats=("search-replace",), kept=False),
    Spoil("path with a/", path_as(lambda path: "a/" + path), formats=PATHS),
    Spoil("path with ./", path_as(lambda path: "./" + path)),
    Spoil("path in backticks", path_as(lambda path: f"`{path}`"), formats=TITLED),
    Spoil("path lost a folder", path_as(lambda path: path.split("/", 1)[1]), formats=PATHS),
    Spoil("path lost all folders", path_as(lambda path: path.rsplit("/", 1)[1]), kept=False, formats=PATHS),
    Spoil("path with backslashes", path_as(lambda path: path.replace("/", "\\")), formats=("unified", *TITLED)),
    Spoil("no opening mark", without("<<<<<<< SEARCH"), formats=("search-replace",), kept=False),
    Spoil("no opening mark, in a fence", unopened, formats=("search-replace",), kept=False),
    Spoil("numbers and counts at random", renumbered, formats=("unified",), kept=False, alone=True),
    Spoil(
        "path with its first folder twice",
        path_as(lambda path: f"{path.split('/')[0]}/{path}"),
        kept=False,
        formats=PATHS,
    ),
    # If a hunk fits twice, writing it twice is how to edit both places.
    Spoil("sent twice", lambda text, path, rng: text + "\n" + text, kept=False, alone=True),
)
