"""What an agent types into a shell to write files, as far as it is plain. Nothing is ever run.

    script  = { command ( newline | "&&" | ";" ) }
    command = "cat" ( ">" | ">>" ) FILE here | "cat" here ( ">" | ">>" ) FILE
            | "tee" [ "-a" ] FILE here [ ">" "/dev/null" ]
            | "sed" "-i" ( 's/OLD/NEW/' | 's/OLD/NEW/g' ) FILE      any sign for the slash; no pattern in OLD
            | "cd" FOLDER | "mkdir" [ "-p" ] FOLDER | "set" … | "export" … | "true"
    here    = "<<" [ "-" ] WORD { line } WORD      lines that a shell would expand are plain only behind a quoted word

Everything else is refused by the name of its command: what it would do isn't known.
"""

from __future__ import annotations

import re

from ..model import TOLERANT, Edit, Hunk, Op, Where, Write
from ..problems import Problem

SHELLS = ("bash", "sh", "zsh", "dash", "ash", "ksh", "powershell", "pwsh")
_HERE = r"<<(-?)[ \t]*(?:'(\w+)'|\"(\w+)\"|\\(\w+)|(\w+))"
_HERE_BEGINS = r"(?<!<)<<(?!<)-?\s*['\"\\]?\w"
_WRITES = r"\bsed\s[^\n;&|]*-i|\bperl\s[^\n]*-p?i|\btee\s|(?<![0-9&>=-])>{1,2}(?!\s*(?:/dev/|&))\s*[\w./'\"]"
_CHANGES = (
    r"(?:^|[;&|(\n])\s*(?:sudo\s+)?"
    r"(?:rm|mv|cp|ln|dd|ed|ex|patch|truncate|rsync|git\s+(?:apply|am|mv|rm|reset|restore))\s"
)
_WORD = r"\"((?:[^\"\\$`]|\\[\"\\$`])*)\"|'([^']*)'|((?:[^\s;&|<>$`\"'\\]|\\.)+)"
_SUBSTITUTE = r"s([^\w\s\\])((?:\\.|(?!\1)[^\\\n])+)\1((?:\\.|(?!\1)[^\\\n])*)\1(g?)"
_HARMLESS = ("mkdir", "set", "export", "true", ":")
_SPECIAL = frozenset(".*[]^$+?(){}|")
EXACTLY = TOLERANT._replace(levels=("exact",))
_ADVICE = "Write the file with `cat > FILE <<'EOF'`, or use an edit."


def may_write(script: str) -> bool:
    """Whether a script seems to change files. `>` in quotes is text: `python -c "a > b"`."""
    if re.search(_HERE_BEGINS, script) or "*** Begin Patch" in script:
        return True
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "''", script)
    return re.search(_WRITES, bare) is not None or re.search(_CHANGES, bare) is not None


def is_script(text: str) -> bool:
    """Whether a text is a script that plainly writes files, and does nothing else."""
    if not text.lstrip().startswith(("cat ", "tee ", "sed ", "cd ", "mkdir ", "#!", "set ")) or not may_write(text):
        return False
    ops, problems = operations(text, 1)
    return bool(ops) and not problems


def operations(script: str, line: int) -> tuple[list[Op], list[Problem]]:
    """What the script writes; all of it stands at one line of the answer."""
    ops: list[Op] = []
    folder = ""
    lines = script.replace("\r\n", "\n").split("\n")
    row = 0
    while row < len(lines):
        here = re.search(_HERE, lines[row])
        body, behind = (None, row + 1) if here is None else _document(lines, row, here)
        if behind < 0:
            detail, advice = "a here-document is never closed", "Send it with its closing line."
            return [], [Problem("truncated", detail, patch_line=line, advice=advice)]
        for command in _commands(lines[row]):
            made = _made(command, body if "<<" in command else None, folder, line)
            if isinstance(made, Problem):
                return [], [made]
            if isinstance(made, str):
                folder = made
            elif made is not None:
                ops.append(made)
        row = behind
    return ops, []


def _document(lines: list[str], row: int, here: re.Match[str]) -> tuple[str, int]:
    """The text of a here-document and the row behind it; -1 where it never ends."""
    word = next(filter(None, here.groups()[1:]))
    strip = here[1] == "-"
    for at in range(row + 1, len(lines)):
        if (lines[at].lstrip("\t") if strip else lines[at]) == word:
            body = [line.lstrip("\t") if strip else line for line in lines[row + 1 : at]]
            return "".join(f"{line}\n" for line in body), at + 1
    return "", -1


def _commands(line: str) -> list[str]:
    """The commands of a line."""
    parts = re.split(r"&&|;(?=(?:[^'\"]|'[^']*'|\"[^\"]*\")*$)", line)
    return [part.strip() for part in parts if part.strip() and not part.strip().startswith("#")]


def _made(command: str, body: str | None, folder: str, line: int) -> Op | Problem | str | None:
    """What one command comes to: an operation, the folder it enters, nothing, or a problem that names it."""
    name = command.split(maxsplit=1)[0]
    here = re.search(_HERE, command)
    words = _words(command[: here.start()] + command[here.end() :] if here else command)
    if name == "cd" and words is not None and len(words) == 2:
        return f"{folder}{words[1].rstrip('/')}/" if not words[1].startswith("/") else f"{words[1].rstrip('/')}/"
    if name in _HARMLESS and ">" not in command:
        return None
    if here is not None and body is not None and words is not None and name in ("cat", "tee"):
        if here[5] and re.search(r"[$`\\]", body):
            detail = f"a shell would change the text below `{here[0]}`: it contains `$`, a backtick or a backslash"
            return Problem("bad_patch", detail, patch_line=line, advice=f"Write `<<'{here[5]}'`.")
        target = _target(name, words)
        if target is not None:
            return _written(folder + target[1] if target[1][:1] != "/" else target[1], body, target[0], line)
    if name == "sed" and words is not None:
        return _substituted(words, folder, line)
    detail = f"`{name[:40]}` is a command, which isn't run, and what it would write isn't clear"
    return Problem("bad_patch", detail, patch_line=line, advice=_ADVICE)


def _words(text: str) -> list[str] | None:
    """The words of a command, with `>` and `>>` as words of their own; None where a shell would expand one."""
    words: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == ">":
            words.append(">>" if text[at : at + 2] == ">>" else ">")
            at += len(words[-1])
        elif match := re.compile(_WORD).match(text, at):
            quoted, single, bare = match.groups()
            plain = single if single is not None else re.sub(r"\\(.)", r"\1", quoted if quoted is not None else bare)
            if bare is not None and re.search(r"[*?~\[{(]", bare):
                return None
            words.append(plain)
            at = match.end()
        else:
            return None
    return words


def _target(name: str, words: list[str]) -> tuple[bool, str] | None:
    """Whether the text is appended, and the file it goes to; None where that isn't plain."""
    if name == "cat" and len(words) == 3 and words[1] in (">", ">>"):
        return words[1] == ">>", words[2]
    if name == "tee":
        rest = words[1:-2] if words[-2:] == [">", "/dev/null"] else words[1:]
        appended = rest[:1] in (["-a"], ["--append"])
        if len(rest) == 1 + appended and not rest[-1].startswith(("-", ">")):
            return appended, rest[-1]
    return None


def _written(path: str, body: str, appended: bool, line: int) -> Op:
    if not appended:
        return Write(path, body, True, line, "write")
    added = body if body.endswith("\n") else body + "\n"
    return Edit(path, (Hunk("", added, TOLERANT, Where(at_end=True), line),), line, "insert")


def _substituted(words: list[str], folder: str, line: int) -> Op | Problem:
    """`sed -i 's/old/new/' file`, where the pattern is plain text; without `g` only for a text that stands once."""
    rest = [word for word in words[1:] if word not in ("-i", "-e", "")]  # on a Mac `-i ''`
    command = re.fullmatch(_SUBSTITUTE, rest[0]) if rest else None
    if "-i" not in words or len(rest) != 2 or command is None:
        advice = "Write `sed -i 's/old/new/' FILE`, or use an edit."
        return Problem(
            "bad_patch", "this `sed` does more than replace one text in one file", patch_line=line, advice=advice
        )
    old, new = _literal(command[2], _SPECIAL), _literal(command[3], frozenset("&"))
    old = None if old and "\n" in old else old  # sed reads line by line
    if old is None or new is None:
        detail = "the `sed` pattern is a regular expression, and isn't run"
        return Problem("bad_patch", detail, patch_line=line, advice="Use an edit with the text itself.")
    path = folder + rest[1] if rest[1][:1] != "/" else rest[1]
    return Edit(
        path, (Hunk(old, new, EXACTLY, patch_line=line, inline=True, times=0 if command[4] else 1),), line, "replace"
    )


def substitution(path: str, swap: Hunk) -> str:
    """The command that says a swap of plain texts, as `_substituted` reads it."""
    old, new = (
        re.sub(rf"[\\/{signs}]", r"\\\g<0>", text).replace("\n", r"\n").replace("\t", r"\t")
        for text, signs in ((swap.old, r".*\[\]^$"), (swap.new, "&"))
    )
    return f"sed -i 's/{old}/{new}/{'' if swap.times else 'g'}' '{path}'"


def _literal(text: str, special: frozenset[str]) -> str | None:
    """A pattern or a replacement that stands for itself; None for any other."""
    if any(char in special for char in re.sub(r"\\.", "", text)):
        return None
    if re.search(r"\\[A-Za-z0-9]", text.replace("\\n", "").replace("\\t", "")) or re.search(r"\\[+?(){}|<>]", text):
        return None
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "t": "\t"}.get(match[1], match[1]), text)
