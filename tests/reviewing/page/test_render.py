"""Whatever an answer and its files hold, the page shows it as text."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("jinja2")

from anypatch import review
from anypatch.reviewing.page.render import Renderer, outcome_banner, states
from support.reviews import CART, FIRST, MISSPELT, OPTIONS, SECOND, block, tree

HOSTILE = "</script></style></textarea><img src=x onerror=alert(1)>\"'`{{ 7*7 }}{% raw %}&lt;"
TAGS = {
    "html", "head", "meta", "title", "link", "script", "style", "body", "a", "header", "h1", "h2", "h3", "p", "div", "span",
    "button", "nav", "main", "section", "article", "i", "code", "dialog", "dl", "dt", "dd", "kbd", "label", "input",
    "form", "textarea", "ol", "ul", "li", "details", "summary",
}  # fmt: skip


class Elements(HTMLParser):
    """Collects the elements of a page, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "shop")


def shown(answer: str, root: Path) -> str:
    drawn = Renderer(review(answer, root))
    whole = drawn.page("shop", "token", 1, drawn.main()[:0], is_done=False)
    return "".join([str(whole), *(str(drawn.file(at)) for at in range(len(drawn.review.files)))])


def test_a_hunk_has_numbers_colours_and_the_words_that_differ(root: Path) -> None:
    html = shown(SECOND, root)
    assert '<i data-n="13"></i><i data-n=""></i><code><span class="vh">removed: </span>' in html
    assert '<span class="m">0.</span><span class="m x">19</span>' in html and '<span class="m x">21</span>' in html
    assert '<span class="k">return</span>' in html


@pytest.mark.parametrize("is_static", [False, True])
def test_hostile_text_stays_text(root: Path, is_static: bool) -> None:
    (root / "app" / f"{HOSTILE.replace('/', '')}.py").write_text(f"a = 1  # {HOSTILE}\n")
    answer = (
        f"{HOSTILE}\n" + block(f"a = 1  # {HOSTILE}", f"a = 2  # {HOSTILE}", f"app/{HOSTILE.replace('/', '')}.py")
        + block("nowhere", HOSTILE, f"{HOSTILE}.py") + block(f"        return not self.itemz{HOSTILE}", HOSTILE) + OPTIONS
    )  # fmt: skip
    html = Renderer(review(answer, root), is_static=True).static_page(HOSTILE) if is_static else shown(answer, root)
    page = Elements(html)
    assert set(page.tags) <= TAGS
    assert not [
        name for name, _ in page.attributes if name.startswith("on") or (name in ("src", "style") and is_static)
    ]
    assert "49" not in re.sub(r"\d{3,}", "", page.text)  # no template in a template
    assert page.text.count("onerror=alert(1)") >= 4


def test_what_nobody_sees_is_shown_as_an_escape(root: Path) -> None:
    html = shown(block("    return price * 0.19", "    return price  # \u202e\u2066 x\x00\x1b[31m\ufeff"), root)
    assert '<span class="esc">\\u202e</span><span class="esc">\\u2066</span>' in html
    assert '<span class="esc">\\x00</span>' in html and '<span class="esc">\\x1b</span>' in html
    assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\ufeff]", html)


def test_bytes_that_are_not_utf_8_are_shown_by_number(root: Path) -> None:
    (root / "app/cart.py").write_bytes(CART.encode() + b"# caf\xe9\n")
    html = shown(block("    return price * 0.19", "    return 1"), root)
    assert '<span class="esc">\\xe9</span>' in html
    html.encode()


def test_a_line_of_megabytes_is_cut(root: Path) -> None:
    line = "x" * 10_000_000
    html = shown(f"{line}\n" + block("    return price * 0.19", f"    y = '{line}'"), root)
    assert len(html) < 200_000
    assert "10,000,000 characters" in html and "10,000,010 characters" in html


def test_long_blocks_and_hunks_are_shown_in_part(root: Path) -> None:
    lines = "\n".join(f"a{number} = {number}" for number in range(1000))
    drawn = Renderer(review(block("    return price * 0.19", lines), root))
    hunk = drawn.file(0)
    assert "a200 " not in drawn.main() and 'data-more="answer/' in drawn.main()
    source = re.search(r'data-more="hunk/(1\.1)/(\d+)"', hunk)
    assert source and "700 more lines" in hunk
    rest = drawn.more_of_hunk(source[1], int(source[2]))
    assert rest.count('class="l a"') + hunk.count('class="l a"') == 1000
    first = re.search(r'data-more="answer/(\d+)"', drawn.main())
    assert first and "data-more" not in drawn.more_of_answer(int(first[1]))


def test_both_sides_of_a_long_hunk_are_on_each_page(root: Path) -> None:
    (root / "app/long.txt").write_text("".join(f"old {number}\n" for number in range(700)))
    old, new = ("\n".join(f"{side} {number}" for number in range(700)) for side in ("old", "new"))
    drawn = Renderer(review(block(old, new, "app/long.txt"), root))
    first, rest = drawn.file(0), drawn.more_of_hunk("1.1", 1)
    assert "800 more lines" in first and first.count("removed: ") == first.count("added: ") == 300
    assert rest.count("removed: ") == rest.count("added: ") == 400 and "data-more" not in rest


def test_what_is_open_is_a_card_with_its_options(root: Path) -> None:
    assert shown(OPTIONS, root).count('data-do="choose"') == 2 + 1  # and "none of them"
    html = shown(MISSPELT, root)
    assert html.count('data-do="choose"') == 1 + 1 and "self.itemz" in html


def test_a_static_page_has_everything_and_no_script(root: Path) -> None:
    html = Renderer(review(FIRST + SECOND, root), is_static=True).static_page("shop")
    page = Elements(html)
    assert not {"script", "button", "form", "link", "dialog"} & set(page.tags)
    assert "list()" in page.text and "0.21" in page.text
    assert any(name == "content" and "style-src 'sha256-" in (value or "") for name, value in page.attributes)


def test_states_are_those_of_the_value(root: Path) -> None:
    looked_at = review(FIRST + SECOND, root).drop("2.1").edit("1.1", "x\n")
    assert states(looked_at) == {"h1.1": "edited", "h2.1": "dropped", "b1": "kept", "b2": "dropped", "f0": "partly 1"}


def test_a_refusal_names_its_problems(root: Path) -> None:
    looked_at = review(MISSPELT, root)
    assert "The text is not in the file" in outcome_banner(looked_at.apply(), looked_at)


def test_every_word_the_script_shows_is_in_the_renderer() -> None:
    """The script repeats the words for states: they change without a new page."""
    from anypatch.reviewing.page import render

    script = (render.FOLDER / "page.js").read_text()
    listed = script.split("const STATES = {")[1].split("}")[0]
    assert dict(re.findall(r'(\w+): "([^"]+)"', listed)) == render._STATES


def test_the_value_is_loaded_without_the_page() -> None:
    code = "import sys, anypatch; anypatch.review; print({'starlette', 'jinja2', 'pygments'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
