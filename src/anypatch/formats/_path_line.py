"""Reads the path out of a line of an answer that names a file: decorated, labelled, a title. Finds no file."""

from __future__ import annotations

import re
from functools import lru_cache

_LONGEST = 300
_WORDS = {
    "name": "makefile dockerfile containerfile readme license licence copying changelog authors contributors notice"
    " todo news install gemfile rakefile procfile vagrantfile jenkinsfile brewfile justfile codeowners pipfile podfile"
    " fastfile guardfile cmakelists buckfile build workspace kconfig version",
    # Suffixes that make a word in the middle of prose a path beyond doubt; `os.path` is none.
    "suffix": "py pyi pyx js jsx mjs cjs ts tsx vue svelte c h cc cpp cxx hpp hh hxx m mm cs java kt kts scala"
    " groovy go rs rb php swift dart lua pl pm r jl ex exs erl hs ml mli fs clj el lisp sh bash zsh fish"
    " ps1 bat sql html htm css scss sass less xml svg json jsonc json5 yaml yml toml ini cfg conf env md"
    " mdx rst txt csv tsv proto graphql tf nix cmake gradle mk lock tex bib diff patch",
    "label": "file files filename filepath path name updated update new modified modify changed change complete full"
    " final entire whole create created add added the in edit edited rewritten revised content contents of for version"
    " here here's heres is are s code source changes to step with and corrected fixed existing original",
}
_TAGS = ("diff", "content", "search_and_replace", "args", "file", "apply_diff", "replace_in_file", "write_to_file")

_cache: dict[str, re.Pattern[str]] = {}
_vocabularies: dict[str, frozenset[str]] = {}
_PATTERNS = {
    "suffix": r"\.([A-Za-z][A-Za-z0-9_+-]{0,14})$",
    "ticked": r"`([^`]+)`",
    "bold": r"\*\*([^*]+)\*\*",
    "element": r"<(?:path|file_path|filepath|filename|file|document)>\s*([^<>]+?)\s*</\w+>",
    "attribute": r"""<(?:file|document)\s[^<>]*?(?:path|name|filename|src)\s*=\s*["']([^"'<>]+)["']""",
    "title": r"""(?:^|[\s{,])(?:title|filename|file|path|name|filepath)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'}]+))""",
    # `a.py#f`, `a.py#Cart/total`; a heading of a page or a line on GitHub is no symbol
    "scoped": r"^[^#\s]*(?<!\.md)(?<!\.mdx)(?<!\.rst)(?<!\.txt)(?<!\.htm)(?<!\.html)#(?!L\d+(?:-|$))[\w/.:~$\[\]<>-]+$",
    "ordinal": r"^(?:[-+*•]|\(?\d{1,3}[.)])\s+",
}  # fmt: skip


@lru_cache(maxsize=256)
def path_on(line: str) -> str:
    """The path that a line names and names alone: decorations and labels don't count. "" where it doesn't."""
    text = line.strip()
    if not text or len(text) > _LONGEST or text.startswith(("--- ", "+++ ", "diff ", "@@", "```", "~~~", "***")):
        return ""
    for shape in ("element", "attribute"):
        found = _match(shape, text) if text.startswith("<") and not text.startswith("<!") else None
        if found:
            return _plain(found.group(1))
    text = _undressed(text)
    return _labelled(text, "ticked") or _labelled(text, "bold") or _alone(text)


def path_in(line: str) -> str:
    """The only path that a line of prose mentions; "" where there is none or more than one."""
    ticked = [span.strip() for span in _pattern("ticked").findall(line)]
    words = ticked or [word.strip(".,:;!?()[]*\"'") for word in line.split()]
    found = {word for word in words if _is_surely_path(word)}
    return found.pop() if len(found) == 1 else ""


def path_in_title(info: str) -> str:
    """The path in what follows a fence's backticks: a title, `language:path`, or the path itself."""
    info = info.strip()
    found = _match("title", info)
    if found:
        return _plain(next(group for group in found.groups() if group))
    for word in reversed(info.split()[:3]):
        head, colon, tail = word.partition(":")
        if colon and tail and not tail[0].isdigit() and not head.isdigit() and looks_like_path(tail):
            return _plain(tail)
        if not colon and looks_like_path(word) and "{" not in word:
            return _plain(word)
    return ""


def is_tag(line: str) -> bool:
    """Whether a line holds nothing but an element's opening, as tool calls in XML have around their blocks."""
    bare = line.strip()
    return bare.startswith("<![CDATA[") or (bare[:1] == "<" and bare[-1:] == ">" and bare[1:-1] in _TAGS)


def looks_like_path(text: str) -> bool:
    """Whether a text, with nothing around it, may be a file's path."""
    if not text or len(text) > _LONGEST or any(char in text for char in '<>|"*?;{}=`\t') or "://" in text:
        return False
    if text.startswith(("--", "++", "@@", "//")) or text.endswith(("/", ".", ",")) or text.strip() != text:
        return False
    if "#" in text:
        text = (_match("scoped", text) and text[: text.index("#")]) or text
    name = text.rsplit("/", 1)[-1]
    if name[:1] == "." and name[1:2].isalpha():
        return True
    if _match("suffix", name) or (name[:1].isupper() and _is_word(name.split(".", 1)[0], "name")):
        return True
    return "/" in text and " " not in text and not text.startswith("/")


def _is_surely_path(word: str) -> bool:
    if not looks_like_path(word) or " " in word:
        return False
    found = _match("suffix", word)
    name = word.rsplit("/", 1)[-1]
    return (found is not None and _is_word(found.group(1), "suffix")) or _is_word(name, "name")


# ── decorations ──────────────────────────────────────────────────────────────────────────────────


def _undressed(text: str) -> str:
    """Without comment signs, heading and list marks and the colon at the end."""
    for opener, closer in (("<!--", "-->"), ("/*", "*/"), ("//", ""), ("#", "")):
        if text.startswith(opener) and text.endswith(closer):
            text = text[len(opener) : len(text) - len(closer)].lstrip("#").strip()
            break
    text = _pattern("ordinal").sub("", text, count=1)
    return text.rstrip(":").rstrip()


def _labelled(text: str, shape: str) -> str:
    """The only span in backticks or bold, if all that stands around it are labels."""
    spans = _pattern(shape).findall(text)
    if len(spans) != 1:
        return ""
    around = _pattern(shape).sub(" ", text, count=1)
    if not _are_labels(around):
        return ""
    inner = spans[0].strip().rstrip(":").strip("`*\"' ")
    if shape == "bold":
        return _alone(inner)
    return _plain(inner) if looks_like_path(inner) or (not around.strip(" *_:") and _is_name(inner)) else ""


def _are_labels(text: str) -> bool:
    words = text.replace("*", " ").replace("_", " ").replace("`", " ").split()
    return all(_is_word(word.strip(".,:;()[]-–—"), "label") or _is_number(word) for word in words)


def _is_number(word: str) -> bool:
    return not word.strip(".,:;()[]-–—0123456789#")


def _alone(text: str) -> str:
    """A path without any dress, or behind a label and a colon."""
    text = text.strip("* ")
    head, colon, tail = text.partition(":")
    if colon and tail[:1] == " " and _are_labels(head):
        text = tail.strip("* ")
    text = _unquoted(text)
    if " " not in text:
        return _plain(text) if looks_like_path(text) else ""
    words = text.split()
    if len(words) <= 4 and _are_labels(" ".join(words[:-1])) and looks_like_path(words[-1].strip("`\"'()")):
        return _plain(words[-1].strip("`\"'()"))
    if len(words) >= 2 and looks_like_path(words[0]) and _are_labels(" ".join(words[1:])):
        return _plain(words[0])
    return ""


def _is_name(text: str) -> bool:
    """Whether a text in backticks, alone on its line, may be a file's name though it looks like any word."""
    return bool(text) and not any(char in text for char in '<>|"*?;{}=()\t') and not text.startswith(("-", "/"))


def _unquoted(text: str) -> str:
    for quote in "\"'`":
        if len(text) > 2 and text[0] == text[-1] == quote:
            return text[1:-1].strip()
    return text


def _plain(text: str) -> str:
    return text.strip().strip("`").strip()


def _pattern(shape: str) -> re.Pattern[str]:
    if shape not in _cache:
        _cache[shape] = re.compile(_PATTERNS[shape])
    return _cache[shape]


def _match(shape: str, text: str) -> re.Match[str] | None:
    return _pattern(shape).search(text)


def _is_word(word: str, kind: str) -> bool:
    if kind not in _vocabularies:
        _vocabularies[kind] = frozenset(_WORDS[kind].split())
    return word.lower() in _vocabularies[kind]
