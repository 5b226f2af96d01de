"""Paths as patches write them: made plain, or refused. Lexical only; what stands on a disk is checked there."""

from __future__ import annotations

from ..errors import Problem, Refused
from ..model import Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..model import FileChange

MAX_DEPTH = 64
MAX_NAME = 255

# What version control and anypatch itself live by; never written, at any depth.
_DENIED = frozenset((".git", ".hg", ".svn", ".jj", ".anypatch"))

# What editors, shells, agents, hooks and build services run or obey without being asked.
_OBEYED_FOLDERS = frozenset((
    ".vscode", ".idea", ".cursor", ".claude", ".codex", ".gemini", ".windsurf", ".husky", ".devcontainer", ".circleci",
    ".buildkite",
))  # fmt: skip
_OBEYED_PAIRS = ("/.github/workflows/", "/.github/actions/", "/.forgejo/workflows/", "/.gitea/workflows/")
_OBEYED = frozenset((
    ".mcp.json", ".envrc", ".gitattributes", ".gitmodules", ".gitconfig", ".pre-commit-config.yaml",
    ".pre-commit-config.yml", "lefthook.yml", ".gitlab-ci.yml", ".travis.yml", ".drone.yml", ".appveyor.yml",
    "appveyor.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "jenkinsfile", ".npmrc", ".yarnrc", ".yarnrc.yml",
    ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv",
))  # fmt: skip
_DEVICES = frozenset((
    "con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)),
))  # fmt: skip


def normalise(path: str) -> str:
    """The path without `.`, doubled slashes and inner `..`. Refused where it leaves the root or may not be touched."""
    if not path or path.isspace():
        raise _unsafe(path, "the path is empty")
    if "\0" in path:
        raise _unsafe(path, "the path holds a NUL character")
    if path.startswith(("/", "\\\\", "~/")) or (path[1:2] == ":" and path[0].isalpha() and path[2:3] in ("/", "\\")):
        raise _unsafe(path, "the path is absolute")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _unsafe(path, "the path leads out of the root")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise _unsafe(path, "the path names the root itself")
    _check_parts(path, parts)
    return "/".join(parts)


def check_new(path: str) -> None:
    """Refuse a name that should not come into being: control or bidirectional characters, a backslash."""
    for char in path:
        if char < " " or "\x7f" <= char <= "\x9f" or char in _INVISIBLE:
            raise _unsafe(path, f"a new name may not hold the character U+{ord(char):04X}")
    if "\\" in path:
        raise _unsafe(path, "a new name may not hold a backslash", "Write the path with forward slashes.")


_INVISIBLE = frozenset(
    "\u00ad\u061c\u180e\u2028\u2029\u2061\u2062\u2063\u2064\ufff9\ufffa\ufffb\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def look_at_names(changes: Sequence[FileChange], *, allow_sensitive: bool) -> tuple[list[Note], list[Problem]]:
    """What is to be said of the names that a plan changes: names that two files could share, files that are obeyed."""
    notes: list[Note] = []
    problems: list[Problem] = []
    made: dict[str, str] = {}
    for path, before, after in changes:
        if is_sensitive(path):
            if not allow_sensitive:
                advice = "Ask for it with --allow-sensitive, or edit it by hand."
                problems.append(Problem("unsafe_path", "other programs run or obey this file", path, advice=advice))
            notes.append(Note("other programs run or obey this file", path))
        if before is not None or after is None:
            continue
        if why := not_on_windows(path):
            notes.append(Note(f"Windows can't hold this name: {why}", path))
        other = made.setdefault(folded(path), path)
        if other != path:
            detail = f"{other} and {path} are one file where letter case or Unicode forms don't count"
            problems.append(Problem("unsafe_path", detail, path, advice="Choose names that differ in more."))
    return notes, problems


def folded(path: str) -> str:
    """The path as file systems see it that tell neither letter case nor Unicode forms apart."""
    if path.isascii():
        return path.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_sensitive(path: str) -> bool:
    """Whether other programs run what stands in this file, or do as it says."""
    whole = f"/{folded(path)}"
    parts = whole.split("/")
    if parts[-1] in _OBEYED or not _OBEYED_FOLDERS.isdisjoint(parts[:-1]):
        return True
    return any(pair in whole for pair in _OBEYED_PAIRS)


def not_on_windows(path: str) -> str:
    """Why Windows can't hold a name; "" where it can."""
    for part in path.split("/"):
        if part.split(".")[0].rstrip(" ").lower() in _DEVICES:
            return f"{part!r} is a device there"
        if part[-1:] in (".", " "):
            return f"{part!r} ends in a dot or a space"
        for char in '<>:"|?*':
            if char in part:
                return f"{part!r} holds {char}"
    return ""


def _check_parts(path: str, parts: list[str]) -> None:
    if len(parts) > MAX_DEPTH:
        raise _unsafe(path, f"the path is more than {MAX_DEPTH} folders deep")
    for part in parts:
        if len(part.encode("utf-8", "surrogatepass")) > MAX_NAME:
            raise _unsafe(path, f"a name in the path is longer than {MAX_NAME} bytes")
        if is_denied(part):
            raise _unsafe(path, f"{part!r} belongs to version control or to anypatch itself")


def is_denied(name: str) -> bool:
    """Whether a name, in any spelling some file system takes for the same, is one of those never touched."""
    if not name.isascii():
        import unicodedata

        name = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    plain = name.split(":")[0].casefold().strip(" .")
    if plain.startswith("anypatch-") and name.lstrip(" ")[:1] == ".":
        return True  # files of ours on their way
    return ("." + plain in _DENIED and name.lstrip(" ")[:1] == ".") or (plain[:4] == "git~" and plain[4:].isdigit())


def _unsafe(path: str, detail: str, advice: str = "") -> Refused:
    shown = path if len(path) <= 200 else path[:200] + "…"
    return Refused(Problem("unsafe_path", detail, shown, advice=advice))
