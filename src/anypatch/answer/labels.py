"""Reads the path out of a line of an answer that names a file: decorated, labelled, a title. Finds no file.

A line is a path if it has a folder, the suffix of a file or a well-known bare name, and doesn't read as prose, a
command or code. What may be the name of a file like any other word (`pytest`, `Node.js`, `str.split`) is one only
where such a file exists: that is for the plan to find out.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..text import words

_LONGEST = 300
_NAMES = words(
    "makefile gnumakefile dockerfile containerfile gemfile rakefile procfile vagrantfile jenkinsfile brewfile"
    " justfile codeowners pipfile podfile fastfile guardfile cmakelists buckfile kconfig tiltfile earthfile caddyfile"
    " doxyfile snakefile go.mod go.sum go.work yarn.lock cargo.lock poetry.lock composer.lock gemfile.lock pipfile.lock"
    " flake.lock uv.lock pdm.lock web.config app.config nuget.config .gitignore .dockerignore .npmignore .eslintignore"
    " .prettierignore .gitattributes .editorconfig .npmrc .prettierrc .eslintrc .babelrc .env.local .env.example"
)
# These are headings as well (`## License`): files are spelt in capitals.
_CAPITALS = words("README LICENSE LICENCE COPYING CHANGELOG AUTHORS CONTRIBUTORS NOTICE MAINTAINERS")
# What a file's name may end in. `os.path` and `str.split` are code.
_SUFFIXES = words(
    "py pyi pyx pyw pxd ipynb js jsx mjs cjs ts tsx mts cts vue svelte astro c h cc cpp cxx hpp hh hxx inl"
    " ino cu cuh m mm cs fs fsx fsi vb java kt kts scala sc sbt groovy gradle go rs rb rake gemspec erb haml slim php"
    " phtml swift dart lua pl pm r jl ex exs eex heex erl hrl hs lhs ml mli clj cljs cljc edn el lisp scm rkt nim"
    " zig v sv vh vhd vhdl d f90 f95 f03 pas pp asm s wat sol cairo sh bash zsh fish ksh ps1 psm1 psd1 bat cmd awk"
    " sql html htm xhtml css scss sass less styl pug ejs hbs mustache liquid twig jinja jinja2 j2 tpl tmpl xml xsd"
    " xsl xslt dtd svg plist resx xaml csproj fsproj vbproj sln json jsonc json5 jsonl ndjson geojson webmanifest"
    " yaml yml toml ini cfg conf properties md mdx mdc markdown rst adoc asciidoc org txt csv tsv proto thrift"
    " graphql gql prisma avsc tf tfvars hcl nix cmake mk bzl bazel tex bib cls sty rmd qmd po pot diff service"
    " timer desktop coffee elm purs hx gd glsl hlsl vert frag wgsl cr tcl yy g4 robot ics srt vtt am ac m4 pem crt"
    " csr patch"
)
# Suffixes that make a word in the middle of prose a path beyond doubt.
_PLAIN_SUFFIXES = words(
    "py pyi pyx js jsx mjs cjs ts tsx vue svelte c h cc cpp cxx hpp hh hxx m mm cs java kt kts scala"
    " groovy go rs rb php swift dart lua pl pm r jl ex exs erl hs ml mli fs clj el lisp sh bash zsh fish"
    " ps1 bat sql html htm css scss sass less xml svg json jsonc json5 yaml yml toml ini cfg conf env md"
    " mdx rst txt csv tsv proto graphql tf nix cmake gradle mk lock tex bib diff patch"
)
# Products that are named like files.
_PRODUCTS = words(
    "node vue next nuxt react express angular ember backbone three d3 chart moment electron deno nest alpine"
    " p5 ext knockout meteor polymer solid svelte gatsby koa hapi sails redux jquery require handlebars mustache"
    " underscore lodash bun vite astro discord tensorflow brain matter pixi babylon anime web"
)
_FOLDERS = words(
    "bin sbin scripts script hooks tools src lib app etc cmd pkg test tests docs config conf public static"
    " assets packages internal include"
)
_LABELS = words(
    "file files filename filepath path name updated update new modified modify changed change complete full"
    " final entire whole create created add added the in edit edited rewritten revised content contents of for version"
    " here here's heres is are s code source changes to step with and corrected fixed existing original current old"
    " previous before after now then next finally lastly also first second third"
)
# What a path may stand between, alone on its line.
_FRAMES = (
    ("<!--", "-->"), ("/*", "*/"), ("===", "==="), ("---", "---"), ("[", "]"), ("<", ">"), ("__", "__"), ("_", "_"),
    ("***", "***"), ("//", ""), ("#", ""),
)  # fmt: skip
# Behind one of these and a colon any name is a file's.
_FILE_LABELS = words("file filename filepath path")
_TAGS = (
    "diff",
    "edits",
    "content",
    "search_and_replace",
    "args",
    "file",
    "apply_diff",
    "replace_in_file",
    "write_to_file",
    "edit_file",
    "search_replace_blocks",
)

_SUFFIX = r"\.([A-Za-z][A-Za-z0-9_+-]{0,14})$"
_TICKED = r"`([^`]+)`"
_LINK = r"\[([^][]+)\]\(([^()\s]+)\)"
_BOLD = r"\*\*([^*]+)\*\*"
_ELEMENT = (
    r"<(?:path|file_path|filepath|filename|file|document)>\s*([^<>]+?)\s*</\w+>"
    r"""|<(?:file|document)\s[^<>]*?(?:path|name|filename|src)\s*=\s*["']([^"'<>]+)["']"""
)
# Tags around blocks that are edits by themselves. What stands below one in a fence may be all of a file, or a part.
_EDIT_TAG = (
    r"<(?:uri|target_file)>\s*([^<>]+?)\s*</\w+>$"
    r"""|<[\w-]{0,20}(?:edit|replace|modify|change|update)[\w-]{0,20}\s[^<>]*?"""
    r"""\b(?:(?:file_?)?path|file|filename|target_file)\s?=\s?["']([^"'<>]+)["'][^<>]*>$"""
)
_TITLE = r"""(?:^|[\s{,])(?:title|filename|file|path|name|filepath)\s*[=:]\s*(?:"([^"]+)"|'([^']+)'|([^\s"'}]+))"""
# `a.py#f`, `a.py#Cart/total`; a heading of a page or a line on GitHub is no symbol
_SCOPED = r"^[^#\s]*(?<!\.md)(?<!\.mdx)(?<!\.rst)(?<!\.txt)(?<!\.htm)(?<!\.html)#(?!L\d+(?:-|$))[\w/.:~$\[\]<>-]+$"
_ORDINAL = r"^(?:[-+*•]|\(?\d{1,3}[.)])\s+"


class PathLine(NamedTuple):
    """A path on a line of its own. `sure`: it is one whether the file exists or not; `heading`: so is the line."""

    path: str
    sure: bool
    heading: bool = False


@lru_cache(maxsize=256)
def path_line(line: str) -> PathLine | None:
    """The path that a line names and names alone: decorations and labels don't count. None where it doesn't."""
    text = line.strip()
    if not text or len(text) > _LONGEST or text.startswith(("+++ ", "diff ", "@@", "```", "~~~", "#!")):
        return None
    if text.startswith(("--- ", "***")) and not text.endswith((" ---", "***")):
        return None
    if text[0].isalnum() and text[-1].isalnum() and len(text.split()) == 1 and looks_like_path(text):
        return PathLine(text, True)  # most often nothing is around it
    element = re.search(_ELEMENT, text) if text.startswith("<") and not text.startswith("<!") else None
    if element:
        return PathLine(_plain(element[1] or element[2]), True)
    heading, colon = text.startswith("#"), text.endswith(":")
    text = re.sub(r"^(?:<details>)?\s*<summary>(.*)</summary>$", r"\1", text)
    text = _undressed(_unlinked(text))
    path = _labelled(text, _TICKED) or _labelled(text, _BOLD) or _alone(text) or _said_to_be_file(text)
    if path:
        return PathLine(path, True, heading)
    name = _name_alone(text, colon)
    return PathLine(name, False, heading) if name else None


def path_on(line: str) -> str:
    """The path that a line names and names alone, if it is one beyond doubt; else ""."""
    path = path_line(line)
    return path.path if path is not None and path.sure else ""


def path_in(line: str) -> str:
    """The only path that a line of prose mentions; "" where there is none or more than one."""
    paths = paths_in(line)
    return paths.pop() if len(paths) == 1 else ""


def paths_in(line: str) -> set[str]:
    """The paths that a line of prose mentions: those in backticks, else those among its words."""
    if "." not in line and "/" not in line and "file" not in line.lower():
        return set()
    line = _unlinked(line)
    ticked = {span for span in map(str.strip, re.findall(_TICKED, line)) if _is_surely_path(span)}
    return ticked or {word for part in line.split() if _is_surely_path(word := part.strip(".,:;!?()[]*\"'`"))}


@lru_cache(maxsize=64)
def path_in_title(info: str) -> str:
    """The path in what follows a fence's backticks: a title, `language:path`, or the path itself."""
    info = info.strip()
    title = re.search(_TITLE, info)
    if title:
        return _plain(title[1] or title[2] or title[3])
    if info[:1] == "{":
        return ""  # a directive of a page: `{image} logo.svg`
    for word in reversed(info.split()[:3]):
        head, colon, tail = word.partition(":")
        if colon and tail and not tail[0].isdigit() and not head.isdigit() and looks_like_path(tail):
            return _plain(tail)
        if not colon and looks_like_path(word) and "{" not in word:
            return _plain(word)
    return ""


def path_in_tag(line: str) -> str:
    """The path in a tag around blocks of edits, `<edit file="src/a.py">`; "" for other lines."""
    named = re.match(_EDIT_TAG, line.strip())
    return _plain(named[1] or named[2]) if named else ""


def is_tag(line: str) -> bool:
    """Whether a line holds nothing but an element's opening, as tool calls in XML have around their blocks."""
    bare = line.strip()
    return bare.startswith("<![CDATA[") or (bare[:1] == "<" and bare[-1:] == ">" and bare[1:-1] in _TAGS)


def is_known_name(word: str) -> bool:
    """Whether a word is a name that only files have, in any case: `dockerfile`."""
    return word.lower() in _NAMES


def looks_like_path(text: str) -> bool:
    """Whether a text, with nothing around it, is a file's path, as far as its looks tell; or `path#symbol`."""
    if "#" in text:
        text = (re.search(_SCOPED, text) and text[: text.index("#")]) or text
    if not _may_be_path(text) or " " in text:
        return False
    folder, _, name = text.replace("\\", "/").rpartition("/")
    folder = folder.removeprefix("./").removeprefix("../").lstrip(".")
    if name[:1] == "." and name[1:2].islower():
        return True
    if name.lower() in _NAMES:
        return name[:1].isupper() or "." in name or bool(folder)
    if name.split(".", 1)[0] in _CAPITALS:
        return True
    suffix = re.search(_SUFFIX, name)
    if folder:
        return _is_in_folder(folder, suffix is not None)
    if suffix is None or _is_product(name) or (text[:2] == "./" and suffix[1] in ("sh", "bash", "bat", "ps1")):
        return False
    return suffix[1].lower() in _SUFFIXES and suffix[1] in (suffix[1].lower(), suffix[1].upper())


_NOT_IN_PATHS = frozenset('<>|"*?;{}=`\t,：，。')


def _may_be_path(text: str) -> bool:
    if not text or len(text) > _LONGEST or not _NOT_IN_PATHS.isdisjoint(text) or "://" in text or "](" in text:
        return False
    if text.startswith(("--", "++", "@@", "//", "$")) or text.endswith(("/", ".", ":")) or text.strip() != text:
        return False
    if ":" in text[2:]:
        return False  # `src/a.py:4-5` cites lines
    return "/" in text or not any(char in text for char in "()[]#&!%")


def _is_in_folder(folder: str, suffixed: bool) -> bool:
    """Whether a folder makes a name a path: not in `CI/CD`, `client/server`, `@types/node`, `example.com/a/b`."""
    first = folder.split("/", 1)[0]
    if folder.startswith("@") or first.lower().endswith((".com", ".org", ".net", ".io", ".dev")):
        return False
    if suffixed:
        return True
    return first.lower() in _FOLDERS or ("/" in folder and folder != folder.upper())


def _is_product(name: str) -> bool:
    """Whether a name is a product's: `Node.js`, `.NET`."""
    head, _, suffix = name.rpartition(".")
    return (suffix.lower() == "js" and head[:1].isupper() and head.lower() in _PRODUCTS) or name.upper().endswith(
        ".NET"
    )


def _is_surely_path(word: str) -> bool:
    if not looks_like_path(word):
        return False
    suffix = re.search(_SUFFIX, word)
    return (suffix is not None and suffix[1].lower() in _PLAIN_SUFFIXES) or word.rsplit("/", 1)[-1].lower() in _NAMES


# ── decorations ──────────────────────────────────────────────────────────────────────────────────


def _unlinked(text: str) -> str:
    """With the path that a link names in its place: `[cart.py](src/cart.py#L10)` is `src/cart.py`."""
    return re.sub(_LINK, _linked, text) if "](" in text else text


def _linked(link: re.Match[str]) -> str:
    label, target = link[1].strip("`* "), link[2].partition("#")[0].removeprefix("./").lstrip("/")
    paths = [path for path in (label, target) if looks_like_path(path) and not path.startswith(("http:", "https:"))]
    if not paths or len({path.rpartition("/")[2] for path in paths}) > 1:
        return link[0]
    return f"`{max(paths, key=len)}`"


def _undressed(text: str) -> str:
    """Without comment signs, heading, quotation and list marks, pictures and the colon at the end."""
    text = re.sub(r"^(?:[^\x00-\x7f\w]+|>)\s+|\s+[^\x00-\x7f\w]+$|</?(?:b|i|code|strong|em)>", "", text)
    for opener, closer in _FRAMES:
        if text.startswith(opener) and text.endswith(closer) and len(text) > len(opener) + len(closer):
            text = text[len(opener) : len(text) - len(closer)].lstrip("#").strip()
            break
    return re.sub(_ORDINAL, "", text, count=1).rstrip(":").rstrip()


def _labelled(text: str, span: str) -> str:
    """The only span in backticks or bold, if all that stands around it are labels."""
    spans = re.findall(span, text)
    if len(spans) != 1 or not _are_labels(re.sub(span, " ", text, count=1)):
        return ""
    inner = spans[0].strip().rstrip(":").strip("`*\"' ")
    if span == _BOLD:
        return _alone(inner)
    return _plain(inner) if looks_like_path(inner) or _has_blanks(inner) else ""


def _has_blanks(text: str) -> bool:
    """Whether a text is a path with blanks in it, `dir/b c.xml`; `cat a/b.xml` and `./run.sh a.py` are commands."""
    first, _, last = text.partition(" ")
    if not _may_be_path(text) or "/" not in first or first.startswith((".", "/")) or re.search(_SUFFIX, first):
        return False
    suffix = re.search(_SUFFIX, last)
    return suffix is not None and suffix[1].lower() in _SUFFIXES


def _said_to_be_file(text: str) -> str:
    """Any name behind "File:", one word or in backticks."""
    head, colon, tail = text.partition(":")
    head, tail = head.strip("* "), tail.strip("* ")
    if not colon or not _are_labels(head) or _FILE_LABELS.isdisjoint(head.lower().split()):
        return ""
    name = _unquoted(tail)
    return name if _is_name(name) and (name != tail or " " not in name) else ""


def _are_labels(text: str) -> bool:
    """Whether words only label what follows them: "Updated file"; not "Add to": then it is a part."""
    told = text.replace("*", " ").replace("_", " ").replace("`", " ").split()
    plain = {word.strip(".,:;()[]-–—0123456789#").lower() for word in told} - {""}
    return plain <= _LABELS and not ("add" in plain and plain & {"to", "in"})


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


def _name_alone(text: str, colon: bool) -> str:
    """What is alone on a line and may be a file's name, though it looks like any other word; not so `Output:`."""
    text = text.strip("* ")
    ticked = len(text) > 2 and text[0] == text[-1] == "`"
    text = _unquoted(text)
    return text if _is_name(text) and (ticked or (not colon and (" " not in text or _has_blanks(text)))) else ""


def _is_name(text: str) -> bool:
    if not any(map(str.isalnum, text)) or text.endswith("."):
        return False
    return not any(char in text for char in '<>|"*?;{}=()`\t') and not text.startswith(("-", "/", "$"))


def _unquoted(text: str) -> str:
    for quote in "\"'`":
        if len(text) > 2 and text[0] == text[-1] == quote:
            return text[1:-1].strip()
    return text


def _plain(text: str) -> str:
    return text.strip().strip("`").strip()
