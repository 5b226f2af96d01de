"""Paths as patches write them: made plain, or refused. Lexical only; what stands on a disk is checked there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from .model import FileChange, Note
from .problems import Problem, Refused
from .similarity import close_names
from .text import decode, encode

MAX_DEPTH = 64
MAX_NAME = 255
MAX_PATH = 4095  # bytes in all: what Linux opens

# What version control and anypatch itself live by; never written, at any depth.
_DENIED = frozenset((".git", ".hg", ".svn", ".jj", ".anypatch"))

# What programs run or obey on their own, by kind. A word ending in `/` is a folder: all below it is guarded; one with a
# `/` inside is looked for at any depth; `*` stands for anything in a name. A leading dot may be missing and
# `.yml` stands for its siblings: see `_sorted`. `Makefile` and `package.json` are run only by who asks for it.
_GUARDED = (
    ("git and its hooks run it on a commit, checkout or push",
     ".githooks/ .husky/ .lefthook/ .lefthook-local/ .lefthook.yml .lefthook-local.yml .pre-commit-config.yml"
     " .pre-commit-hooks.yml .overcommit.yml .gitattributes .gitmodules .gitconfig .gitmessage"),
    ("shells and version managers read it when a folder is entered or a session begins",
     ".bashrc .bash_* .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout"
     " .inputrc .envrc .direnvrc .direnv/ .mise.yml .mise.*.toml .mise/ .tool-versions .rtx.toml .asdfrc .config/fish/"
     " .config/mise/ .config/direnv/ .xprofile .xinitrc .xsession"),
    ("editors run its tasks and settings when a folder is opened",
     ".vscode/ .idea/ .zed/ .fleet/ .nova/ .exrc .vimrc .gvimrc .nvimrc .nvim.lua .vim/ .nvim/ .dir-locals.el"
     " .dir-locals-2.el .emacs .emacs.d/ .spacemacs *.code-workspace *.sublime-project .kateproject .helix/"),
    ("dev containers are built from it",
     ".devcontainer/ .devcontainer.yml .gitpod.yml .gitpod.dockerfile .daytona/ .codesandbox/ .stackblitzrc devfile.yml"
     " .devbox/ devbox.json"),
    ("coding agents take it for instructions or settings",
     "agents.md agents.*.md agent.md claude.md claude.*.md gemini.md codex.md copilot.md warp.md qwen.md conventions.md"
     " llms.txt .cursorrules .cursor/ .cursorignore .windsurfrules .windsurf/ .clinerules .clinerules/ .cline/"
     " .roorules* .roo/ .roomodes .kilocode/ .kilocodemodes .continue/ .continuerc.yml"
     " .aider* .claude/ .codex/ .gemini/"
     " .qwen/ .junie/ .amazonq/ .augment/ .augment-guidelines .goosehints .opencode/ opencode.yml .crush/ .crush.yml"
     " .rules .rules/ .ai/ .agent/ .agents/ .mcp.yml .github/copilot-instructions.md .github/instructions/"
     " .github/prompts/ .github/agents/ .github/chatmodes/ .trae/ .zencoder/ .openhands/ .replit"),
    ("build services run it on a push",
     ".github/workflows/ .github/actions/ .github/dependabot.yml .forgejo/ .gitea/ .gitlab-ci.yml .gitlab/ .circleci/"
     " .travis.yml jenkinsfile jenkinsfile.* *.jenkinsfile azure-pipelines* .azure-pipelines/ .azuredevops/ .pipelines/"
     " bitbucket-pipelines.yml .drone.yml .drone.jsonnet .drone.star .woodpecker.yml .woodpecker/"
     " .buildkite/ .appveyor.yml"
     " .cirrus.yml .cirrus.star .semaphore/ .cloudbuild.yml buildspec* .teamcity/ .builds/ .build.y*ml .codefresh.yml"
     " .wercker.yml .harness/ .tekton/ .screwdriver.yml .buddy/ .buddy.yml .scrutinizer.yml .shippable.yml .gocd.yml"
     " .zuul.yml .zuul.d/ .earthfile .dagger/ .netlify.yml .vercel.yml .renovate.yml .mergify.yml"),
    ("tools read it when they start, and load or run what it names",
     ".cargo/ .npmrc .yarnrc .yarnrc.yml .yarn/ .pnp.* .pnpmfile.* .pypirc .pip/ pip.conf .condarc .gemrc .bundle/"
     " .netrc .curlrc .wgetrc sitecustomize.py usercustomize.py *.pth .lldbinit .gdbinit .pdbrc .irbrc .pryrc .rprofile"
     " .renviron .ghci .psqlrc .sqliterc .pythonrc .pythonstartup .mavenrc .mvn/ .sdkmanrc .bazelrc .buckconfig"),
    ("keys and accounts lie there", ".ssh/ .gnupg/ .aws/ .kube/ .docker/ .azure/ .config/gcloud/ .config/gh/"),
)  # fmt: skip
_SUFFIXES = ("yml", "yaml", "json", "jsonc", "toml")
_guarded: dict[str, tuple[frozenset[str], frozenset[str], tuple[str, ...], tuple[str, ...]]] = {}
_DEVICES = frozenset((
    "con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)),
))  # fmt: skip


@lru_cache(maxsize=256)
def normalise(path: str) -> str:
    """The path without `.`, doubled slashes and inner `..`. Refused where it leaves the root or may not be touched."""
    if not path or path.isspace():
        raise _unsafe(path, "it is empty")
    if "\0" in path:
        raise _unsafe(path, "it contains a NUL character")
    if path.startswith(("/", "\\\\", "~/")) or (path[1:2] == ":" and path[0].isalpha() and path[2:3] in ("/", "\\")):
        raise _unsafe(path, "it is absolute")
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                raise _unsafe(path, "it leads out of the root")
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    if not parts:
        raise _unsafe(path, "it is the root itself")
    _check_parts(path, parts)
    return "/".join(parts)


def check_new(path: str) -> None:
    """Refuse a name that should not come into being: control or bidirectional characters, a backslash."""
    for char in path:
        if char < " " or "\x7f" <= char <= "\x9f" or char in _INVISIBLE:
            raise _unsafe(path, f"a new name can't contain the character U+{ord(char):04X}")
    if "\\" in path:
        raise _unsafe(path, "a new name can't contain a backslash", "Write the path with forward slashes.")


_INVISIBLE = frozenset(
    "\u00ad\u061c\u180e\u2028\u2029\u2061\u2062\u2063\u2064\ufff9\ufffa\ufffb\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def look_at_names(changes: Sequence[FileChange], *, allow_sensitive: bool) -> tuple[list[Note], list[Problem]]:
    """What is to be said of the names that a plan changes: names that two files could share, files that are obeyed."""
    notes: list[Note] = []
    problems: list[Problem] = []
    made: dict[str, str] = {}
    for path, before, after in changes:
        if why := guarded_because(path):
            if not allow_sensitive:
                detail, advice = f"other programs run this file or follow it: {why}", "Ask the user, or leave it out."
                command = "--allow-sensitive edits it."
                problems.append(Problem("unsafe_path", detail, path, advice=advice, command=command))
            notes.append(Note(f"other programs run this file or follow it: {why}", path))
        if before is not None or after is None:
            continue
        if reason := not_on_windows(path):
            notes.append(Note(f"Windows doesn't allow this name: {reason}", path))
        other = made.setdefault(folded(path), path)
        if other != path:
            detail = f"{other} and {path} are the same file on systems that ignore case or Unicode form"
            problems.append(Problem("unsafe_path", detail, path, advice="Choose names that differ in more than that."))
    return notes, problems


def folded(path: str) -> str:
    """The path as file systems see it that tell neither letter case nor Unicode forms apart."""
    if path.isascii():
        return path.lower()
    import unicodedata

    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_sensitive(path: str) -> bool:
    """Whether other programs run what stands in this file, or do as it says."""
    return bool(guarded_because(path))


def guarded_because(path: str) -> str:
    """Why a file is guarded: what runs it or obeys it; "" where nothing does."""
    if not _guarded:
        _guarded.update((why, _sorted(words)) for why, words in _GUARDED)
    whole = f"/{folded(path)}"
    parts = whole.split("/")
    for why, (names, folders, chains, stars) in _guarded.items():
        if parts[-1] in names or not folders.isdisjoint(parts[:-1]) or any(chain in whole for chain in chains):
            return why
        if any(_fits(parts[-1], star) for star in stars):
            return why
    return ""


def _sorted(words: str) -> tuple[frozenset[str], frozenset[str], tuple[str, ...], tuple[str, ...]]:
    """Words of the table as names, folders, chains of folders, and names with a `*`; with their siblings.

    `.lefthook.yml` stands for `lefthook.yaml` and `.lefthook.toml` as well: tools read what they find first.
    """
    names: set[str] = set()
    folders: set[str] = set()
    chains: list[str] = []
    stars: list[str] = []
    for word in words.split():
        if "/" in word.rstrip("/"):
            chains.append(f"/{word}")
        elif word.endswith("/"):
            folders.add(word[:-1])
        elif word.endswith(".yml"):
            stem = word[:-4].removeprefix(".")
            names |= {f"{dot}{stem}.{suffix}" for dot in ("", ".") for suffix in _SUFFIXES}
        else:
            (stars.append if "*" in word else names.add)(word)
    return frozenset(names), frozenset(folders), tuple(chains), tuple(stars)


def _fits(name: str, star: str) -> bool:
    head, _, tail = star.partition("*")
    return name.startswith(head) and name.endswith(tail) and len(name) >= len(head) + len(tail)


def not_on_windows(path: str) -> str:
    """Why Windows can't hold a name; "" where it can."""
    for part in path.split("/"):
        if part.split(".")[0].rstrip(" ").lower() in _DEVICES:
            return f"{part!r} is a device name there"
        if part[-1:] in (".", " "):
            return f"{part!r} ends in a dot or a space"
        for char in '<>:"|?*':
            if char in part:
                return f"{part!r} contains {char}"
    return ""


def _check_parts(path: str, parts: list[str]) -> None:
    if len(parts) > MAX_DEPTH:
        raise _unsafe(path, f"it is more than {MAX_DEPTH} folders deep")
    if len(path.encode("utf-8", "surrogatepass")) > MAX_PATH:
        raise _unsafe(path, f"it is longer than {MAX_PATH} bytes")
    plain = path.isascii() and len(path) <= MAX_NAME
    if plain and "/." not in f"/{path}" and " " not in path and "~" not in path:
        return  # no name in it is too long, and none is one of those below
    for part in parts:
        if len(part.encode("utf-8", "surrogatepass")) > MAX_NAME:
            raise _unsafe(path, f"a name in it is longer than {MAX_NAME} bytes")
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


_ALIKE = 400  # files that are looked through for a text that isn't where it should be


def some_meant(path: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Of the paths known those that one may be meant for: by how much of its end they share, then by spelling."""
    wanted = path.split("/")
    folder, _, name = path.rpartition("/")
    same: list[tuple[int, int, str]] = []
    beside: list[str] = []
    for other in known:
        place, _, found = other.rpartition("/")
        if found.casefold() == name.casefold():
            same.append((-_shared_end(other.split("/"), wanted), other.count("/"), other))
        elif place == folder:
            beside.append(found)
    best = [other for _, _, other in sorted(same) if other != path]
    if len(best) < limit and beside:
        best += [f"{folder}/{other}" if folder else other for other in close_names(name, beside, limit)]
    return tuple(best[:limit])


def _shared_end(one: list[str], other: list[str]) -> int:
    """How many last components are the same; a difference in letter case counts a little less."""
    score = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left.casefold() != right.casefold():
            break
        score += 10 if left == right else 9
    return score


def some_alike(path: str, known: Iterable[str]) -> tuple[str, ...]:
    """Of the paths known those with the suffix of one, the nearest first, as many as can be looked through."""
    name = path.rpartition("/")[2]
    suffix = name[name.rfind(".") :] if "." in name else name
    found = [other for other in known if other.endswith(suffix)]
    folders = path.split("/")[:-1]
    return tuple(sorted(found, key=lambda other: (-_shared(folders, other.split("/")[:-1]), other))[:_ALIKE])


def _shared(one: list[str], two: list[str]) -> int:
    """How many folders two paths share from the top."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))


# ── URIs of files ────────────────────────────────────────────────────────────────────────────────

_PLAIN = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")


def path_of_uri(uri: str) -> str:
    """The path of a file's URI: absolute behind `file://`, relative where there is no scheme. Refused for others."""
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*+):", uri)
    rest = uri
    if scheme:
        found = re.match(r"file:(?://(?:localhost)?(?=/)|(?=/(?!/)))", uri, re.IGNORECASE)
        if found is None:
            raise Refused(Problem("unsafe_path", f"`{uri[:200]}` is not the URI of a local file"))
        rest = uri[found.end() :]
    if "?" in rest or "#" in rest:
        raise Refused(Problem("unsafe_path", f"`{uri[:200]}` has a fragment or a query"))
    try:
        raw = rest.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refused(Problem("unsafe_path", "the URI contains half a character")) from None
    return decode(re.sub(rb"%([0-9A-Fa-f]{2})", lambda found: bytes((int(found[1], 16),)), raw))


def uri_of(path: str) -> str:
    """A path as a URI: with `file://` where it is absolute, else a reference relative to the root."""
    said = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in encode(path))
    return f"file://{said}" if path.startswith("/") else said


def inside(path: str, roots: tuple[str, ...]) -> str:
    """An absolute path below one of the roots as one relative to it; any other path as it is."""
    for root in roots:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path
