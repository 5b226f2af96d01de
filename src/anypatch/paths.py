"""Paths as patches write them: normalized or refused. Lexical only: `storage` checks what is on the disk."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from typing import NamedTuple

from .model import FileChange, Note
from .problems import Problem, Refused
from .similarity import close_names
from .text import decode, encode

MAX_DEPTH = 64
MAX_NAME = 255
MAX_PATH = 4095  # bytes in all: what Linux opens
MAX_HOPS = 40  # links on the way to a file

# Folders of version control and of anypatch itself: never written, at any depth.
_DENIED = frozenset((".git", ".hg", ".svn", ".jj", ".anypatch"))

# Files that programs run or follow on their own, by what these programs do. A word that ends in `/` is a folder with
# all below it; one with a `/` inside matches at any depth; `*` is anything in a name; `.x.yml` also matches its
# siblings, see `_patterns`. `Makefile` and `package.json` aren't here: they are run only on request.
_SENSITIVE = (
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
_DEVICES = frozenset((
    "con", "prn", "aux", "nul", *(f"{name}{number}" for name in ("com", "lpt") for number in range(1, 10)),
))  # fmt: skip


@lru_cache(maxsize=256)
def normalize_path(path: str) -> str:
    """Remove `.`, doubled slashes and inner `..`. Refuse a path that leaves the root or may not be touched."""
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


def follow_links(path: str, target_of: Callable[[str, str], str], *, last: bool = True) -> str:
    """Resolve links as the kernel does, but on names: replace each by its target and go on from there.

    `target_of` returns the target of a name in a folder, "" if it isn't a link; if the target begins with `/`, it is
    relative to the root of the tree. `last`: also follow a link in which the path ends.
    """
    done: list[str] = []
    pending = path.split("/")[::-1]
    hops = 0
    while pending:
        part = pending.pop()
        if part == "..":
            if not done:
                raise _unsafe(path, "a symbolic link leads out of the root")
            done.pop()
        elif part not in ("", "."):
            target = target_of("/".join(done), part) if last or pending else ""
            if not target:
                done.append(part)
                continue
            hops += 1
            if hops > MAX_HOPS:
                raise _unsafe(path, "its symbolic links form a loop")
            if target.startswith("/"):
                done.clear()
            pending.extend(target.split("/")[::-1])
    if not done:
        raise Refused(Problem("not_a_file", "it leads to the root itself", path))
    return "/".join(done)


def check_new_name(path: str) -> None:
    """Refuse a name that no new file should have: with control or invisible characters or a backslash."""
    for char in path:
        if char < " " or "\x7f" <= char <= "\x9f" or char in _INVISIBLE:
            raise _unsafe(path, f"a new name can't contain the character U+{ord(char):04X}")
    if "\\" in path:
        raise _unsafe(path, "a new name can't contain a backslash", "Write the path with forward slashes.")


_INVISIBLE = frozenset(
    "\u00ad\u061c\u180e\u2028\u2029\u2061\u2062\u2063\u2064\ufff9\ufffa\ufffb\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
)


def check_names(changes: Sequence[FileChange], *, allow_sensitive: bool) -> tuple[list[Note], list[Problem]]:
    """Return notes and problems about the names that a plan changes: sensitive files, names that clash elsewhere."""
    notes: list[Note] = []
    problems: list[Problem] = []
    new_paths: dict[str, str] = {}
    for path, before, after in changes:
        if problem := sensitive_problem(path):
            problems += [] if allow_sensitive else [problem]
            notes.append(Note(problem.detail, path))
        if before is not None or after is None:
            continue
        if reason := why_not_on_windows(path):
            notes.append(Note(f"Windows doesn't allow this name: {reason}", path))
        other = new_paths.setdefault(fold_path(path), path)
        if other != path:
            detail = f"{other} and {path} are the same file on systems that ignore case or Unicode form"
            problems.append(Problem("unsafe_path", detail, path, advice="Choose names that differ in more than that."))
    return notes, problems


def fold_path(path: str) -> str:
    """Return the path as file systems see it that ignore letter case and Unicode forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def sensitive_problem(path: str) -> Problem | None:
    """Return the problem that only a person may change a file; None for one that no other program runs or follows."""
    if reason := why_sensitive(path):
        detail = f"other programs run this file or follow it: {reason}"
        advice, hint = "Ask the user, or leave it out.", "Leave it out, or allow it."
        command = "--allow-sensitive edits it."
        return Problem("unsafe_path", detail, path, advice=advice, hint=hint, command=command)
    return None


def why_sensitive(path: str) -> str:
    """Return which programs run a file or follow it on their own; "" if none do."""
    rooted = f"/{fold_path(path)}"
    *folders, name = rooted.split("/")
    for reason, patterns in _sensitive_patterns().items():
        if (
            name in patterns.names
            or not patterns.folders.isdisjoint(folders)
            or any(chain in rooted for chain in patterns.chains)
            or any(fnmatchcase(name, glob) for glob in patterns.globs)
        ):
            return reason
    return ""


class _Patterns(NamedTuple):
    """Names, folders, chains of folders (`/.github/workflows/`) and names with a `*`."""

    names: frozenset[str]
    folders: frozenset[str]
    chains: tuple[str, ...]
    globs: tuple[str, ...]


@cache
def _sensitive_patterns() -> dict[str, _Patterns]:
    return {reason: _patterns(words.split()) for reason, words in _SENSITIVE}


def _patterns(words: list[str]) -> _Patterns:
    """Sort words of the table.

    `.lefthook.yml` also matches `lefthook.yaml` and `.lefthook.toml`, because tools read whichever they find first.
    """
    names: set[str] = set()
    for word in words:
        if "/" in word or "*" in word:
            continue
        if word.endswith(".yml"):
            stem = word[:-4].removeprefix(".")
            names |= {f"{dot}{stem}.{suffix}" for dot in ("", ".") for suffix in _SUFFIXES}
        else:
            names.add(word)
    chains = tuple(f"/{word}" for word in words if "/" in word.rstrip("/"))
    folders = frozenset(word[:-1] for word in words if word.endswith("/") and word.count("/") == 1)
    return _Patterns(frozenset(names), folders, chains, tuple(word for word in words if "*" in word))


def why_not_on_windows(path: str) -> str:
    """Return why a path isn't possible on Windows; "" if it is."""
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
        return  # no name in it can be too long or denied
    for part in parts:
        if len(part.encode("utf-8", "surrogatepass")) > MAX_NAME:
            raise _unsafe(path, f"a name in it is longer than {MAX_NAME} bytes")
        if is_denied(part):
            raise _unsafe(path, f"{part!r} belongs to version control or to anypatch itself")


def is_denied(name: str) -> bool:
    """Return True if a name may never be touched, in any spelling that a file system may treat as the same name."""
    if not name.isascii():
        name = "".join(c for c in unicodedata.normalize("NFKC", name) if unicodedata.category(c) != "Cf")
    plain = name.split(":")[0].casefold().strip(" .")
    if plain.startswith("anypatch-") and name.lstrip(" ")[:1] == ".":
        return True  # a file of ours, while it is being replaced
    return ("." + plain in _DENIED and name.lstrip(" ")[:1] == ".") or (plain[:4] == "git~" and plain[4:].isdigit())


def _unsafe(path: str, detail: str, advice: str = "") -> Refused:
    shown = path if len(path) <= 200 else path[:200] + "…"
    return Refused(Problem("unsafe_path", detail, shown, advice=advice))


_MAX_SIMILAR = 3
_MAX_ALIKE = 400  # files that are searched for a text that isn't where it should be


def similar_paths(path: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return a few known paths that may be the intended one: the same name in another folder, then similar names."""
    parts = path.split("/")
    folder, _, name = path.rpartition("/")
    same_name: list[tuple[int, int, str]] = []
    same_folder: list[str] = []
    for other in known:
        other_folder, _, other_name = other.rpartition("/")
        if other_name.casefold() == name.casefold():
            same_name.append((-_score_shared_end(other.split("/"), parts), other.count("/"), other))
        elif other_folder == folder:
            same_folder.append(other_name)
    best = [other for _, _, other in sorted(same_name) if other != path]
    if len(best) < _MAX_SIMILAR and same_folder:
        best += [f"{folder}/{other}" if folder else other for other in close_names(name, same_folder, _MAX_SIMILAR)]
    return tuple(best[:_MAX_SIMILAR])


def _score_shared_end(parts: list[str], other_parts: list[str]) -> int:
    """Score how many last components are the same; a difference in letter case scores a little less."""
    score = 0
    for part, other in zip(reversed(parts), reversed(other_parts), strict=False):
        if part.casefold() != other.casefold():
            break
        score += 10 if part == other else 9
    return score


def paths_with_suffix(path: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the known paths with the suffix of this one, the nearest first, at most `_MAX_ALIKE`."""
    name = path.rpartition("/")[2]
    suffix = name[name.rfind(".") :] if "." in name else name
    folders = path.split("/")[:-1]
    alike = [other for other in known if other.endswith(suffix)]
    return tuple(sorted(alike, key=lambda other: (-_count_shared(folders, other.split("/")[:-1]), other))[:_MAX_ALIKE])


def _count_shared(folders: list[str], others: list[str]) -> int:
    """Count the folders that two paths share from the top."""
    pairs = enumerate(zip(folders, others, strict=False))
    return next((at for at, (folder, other) in pairs if folder != other), min(len(folders), len(others)))


# ── URIs of files ────────────────────────────────────────────────────────────────────────────────


def path_from_uri(uri: str) -> str:
    """Return the path of a file's URI: absolute after `file://`, relative without a scheme. Refuse other schemes."""
    from urllib.parse import unquote_to_bytes  # slow to import, and needed only for WorkspaceEdits

    rest = uri
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*+:", uri):
        scheme = re.match(r"file:(?://(?:localhost)?(?=/)|(?=/(?!/)))", uri, re.IGNORECASE)
        if scheme is None:
            raise Refused(Problem("unsafe_path", f"`{uri[:200]}` is not the URI of a local file"))
        rest = uri[scheme.end() :]
    if "?" in rest or "#" in rest:
        raise Refused(Problem("unsafe_path", f"`{uri[:200]}` has a fragment or a query"))
    try:
        raw = rest.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise Refused(Problem("unsafe_path", "the URI contains half a character")) from None
    return decode(unquote_to_bytes(raw))


def uri_from_path(path: str) -> str:
    """Return a path as a URI: with `file://` if it is absolute, else a reference relative to the root."""
    from urllib.parse import quote

    quoted = quote(encode(path))
    return f"file://{quoted}" if path.startswith("/") else quoted


def relative_to_roots(path: str, roots: tuple[str, ...]) -> str:
    """Return an absolute path below one of the roots relative to it, any other path unchanged."""
    for root in roots:
        if path.startswith(root.rstrip("/") + "/"):
            return path[len(root.rstrip("/")) + 1 :]
    return path
