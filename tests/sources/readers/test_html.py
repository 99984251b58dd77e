from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from evolore.errors import UnreadableSource
from evolore.sources.files import text_of
from evolore.sources.formats import Converted
from evolore.sources.readers.html import to_markdown
from growth import assert_in_proportion
from laws import tried


def markdown_of(html: str) -> str:
    return to_markdown(html, name="page.html").text


def test_headings_become_atx_headings_of_their_level() -> None:
    assert (
        markdown_of("<h1>Guide</h1><h2>Tea\nroom</h2><h6>Small</h6><h3></h3>")
        == "# Guide\n\n## Tea room\n\n###### Small\n"
    )


def test_lists_keep_their_nesting_and_numbers() -> None:
    html = "<ul><li>one</li><li>two<ol start=3><li>a</li><li>b</li></ol></li></ul><ol><li>first</li></ol>"
    assert markdown_of(html) == "- one\n- two\n  3. a\n  4. b\n\n1. first\n"


@pytest.mark.parametrize(
    "around", ["<ul><li>{}</li></ul>", "<ol><li> {}</li></ol>", "<ul><li><ul><li>{}</li></ul></li></ul>"]
)
def test_a_deeper_item_without_one_above_it_has_one_mark(around: str) -> None:
    assert markdown_of(around.format("<ul><li>Tea</li><li>Milk</li></ul>")) == "- Tea\n- Milk\n"


def test_tables_become_pipe_tables() -> None:
    html = "<table><thead><tr><th>Size</th><th>A|B</th></tr></thead><tbody><tr><td>S</td><td>1<br>2</td></tr></tbody></table>"
    assert markdown_of(html) == "| Size | A\\|B |\n| --- | --- |\n| S | 1 2 |\n"


def test_a_cell_that_spans_rows_stands_in_each() -> None:
    html = (
        "<table><tr><th>区分<th>項目<th>額<tr><td rowspan=2>国内<td>日帰り<td>1<tr><td>宿泊<td>2"
        "<tr><td rowspan=99>海外<td>x<td rowspan=2>3<tr><td>y</table>"
    )
    rows = markdown_of(html).splitlines()[2:]
    assert rows == ["| 国内 | 日帰り | 1 |", "| 国内 | 宿泊 | 2 |", "| 海外 | x | 3 |", "| 海外 | y | 3 |"]


def test_code_keeps_its_lines_and_language() -> None:
    html = '<pre><code class="language-python">\ndef f():\n    return 1 &lt; 2\n</code></pre>'
    assert markdown_of(html) == "```python\ndef f():\n    return 1 < 2\n```\n"


def test_a_fence_is_longer_than_any_inside() -> None:
    assert markdown_of("<pre>```\ncode\n```</pre>") == "````\n```\ncode\n```\n````\n"


@pytest.mark.parametrize("tag", ["script", "style", "template", "noscript", "svg", "iframe"])
def test_what_a_reader_does_not_see_is_dropped(tag: str) -> None:
    assert markdown_of(f"<p>seen</p><{tag}>hidden</{tag}><!-- remark --><?php echo 1 ?>") == "seen\n"


def test_the_head_gives_the_title_and_no_text() -> None:
    html = "<html><head><meta charset=utf-8><title> Our\n tea </title><base href='/x'><body><svg><title>icon</title></svg>Text"
    assert to_markdown(html, name="page.html") == Converted(text="Text\n", title="Our tea")


def test_a_page_without_a_title_has_none() -> None:
    assert to_markdown("<svg><title>icon</title></svg><p>Text", name="page.html").title == ""


PAGE = """<header><h1>Site</h1><nav>Menu</nav></header><{main}><nav>On this page</nav><p>Content</p>
<aside>Mind the step</aside><footer>Written by Ann</footer></{main}>
<aside>Related <article>teaser</article></aside><footer>Imprint</footer>"""


@pytest.mark.parametrize("main", ["main", "article"])
def test_navigation_and_surroundings_go_where_the_main_part_is_marked(main: str) -> None:
    text = markdown_of(PAGE.format(main=main))
    assert text == "# Site\n\nContent\n\nMind the step\n\nWritten by Ann\n"


def test_nothing_goes_where_no_main_part_is_marked() -> None:
    text = markdown_of(PAGE.format(main="div"))
    assert all(word in text for word in ("Menu", "Content", "Related", "Imprint"))


def test_an_empty_main_part_does_not_count() -> None:
    assert markdown_of("<main><div id=app></div></main><aside>All there is</aside>") == "All there is\n"


def test_elements_need_no_end_tag() -> None:
    html = "<p>one<p>two<ul><li>a<li>b</ul><table><tr><td>1<td>2<tr><td>3<td>4</table><dl><dt>Q<dd>A<dt>R<dd>B</dl>"
    text = markdown_of(html)
    assert text.startswith("one\n\ntwo\n\n- a\n- b\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n\nQ\n:   A\n\nR\n:   B")


def test_questions_that_fold_out_stay_apart_from_their_answers() -> None:
    assert markdown_of(
        "<details><summary>Why?</summary>So.</details><details><summary>How?</summary>Thus.</details>"
    ) == ("Why?\n\nSo.\n\nHow?\n\nThus.\n")


def test_line_breaks_of_the_source_are_spaces_but_not_within_japanese() -> None:
    assert (
        markdown_of("<p>one\ntwo</p><p>会議は\n  水曜日です。\nIHも可\nOK</p>")
        == "one two\n\n会議は水曜日です。IHも可 OK\n"
    )


def test_a_reading_stands_in_brackets_behind_its_word() -> None:
    assert markdown_of("<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を書く</p>") == "漢字（かんじ）を書く\n"


def test_links_that_lead_outside_are_kept_and_others_are_text() -> None:
    html = (
        '<h2>Tea<a href="#tea">¶</a></h2><p><a href="https://a.example/b_c">there</a> <a href="next.html">next</a></p>'
    )
    assert markdown_of(html) == "## Tea\n\n[there](https://a.example/b_c) next\n"


def test_an_image_is_what_it_shows() -> None:
    assert (
        markdown_of('<p>See <img src="data:image/png;base64,AAAA" alt="the floor plan">.</p>')
        == "See the floor plan.\n"
    )


def test_words_keep_their_letters() -> None:
    assert markdown_of("<p>snake_case and 2*3*4 and a|b</p>") == "snake_case and 2*3*4 and a|b\n"


@pytest.mark.parametrize("text", ["# no heading", "&gt; no quote", "&lt;div&gt; no tag", "``` no fence", "--- ", "==="])
def test_text_does_not_turn_into_blocks(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(markdown_of(f"<p>{text}</p>"))
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]


def test_a_tag_at_the_beginning_does_turn_into_one_without_escape() -> None:
    assert MarkdownIt("commonmark").parse("<div> no tag")[0].type == "html_block"


@pytest.mark.parametrize("html", ["", "<p> </p>", "<script>only()</script>", "<!-- remark -->"])
def test_a_page_that_shows_nothing_is_refused(html: str) -> None:
    assert to_markdown(html, name="'page.html'").text == ""
    with pytest.raises(UnreadableSource, match=r"'page\.html' (shows no text|is empty)"):
        text_of(html.encode(), source="page.html", name="'page.html'", suffix=".html")


@pytest.mark.parametrize("tag", ["div", "b", "ul><li", "blockquote", "table><tr><td"])
def test_nesting_without_end_keeps_its_words(tag: str) -> None:
    text = markdown_of(f"<{tag}>word " * 2_000)
    assert text.count("word") == 2_000


@pytest.mark.parametrize(
    "html",
    ["plain words", "notes.html", "https://a.example/", "a < b", "<", "odd <!odd", "<![if x]>y", "&#0;&#xD800;&bogus;"],
)
def test_odd_markup_is_read_without_a_warning(html: str) -> None:
    assert markdown_of(html).strip()


def test_an_xml_declaration_is_no_text() -> None:
    assert markdown_of('<?xml version="1.0" encoding="utf-8"?><root><p>x</p></root>') == "x\n"


TAGS = (
    "p",
    "/p",
    "ul",
    "li",
    "/ul",
    "table",
    "tr",
    "td",
    "/table",
    "b",
    "/b",
    "pre",
    "/pre",
    "h2",
    "main",
    "/main",
    "nav",
)
ODD_TAGS = ("td rowspan=3 colspan=2", "ol start=7", "br")
PIECES = st.sampled_from([*(f"<{tag}>" for tag in (*TAGS, *ODD_TAGS)), "word", "言葉", "\n", " ", "|", "#", "&lt;"])


@pytest.mark.parametrize(
    "hidden",
    ['<p style="color:red; DISPLAY : none">gone</p>', "<div hidden><p>gone</p></div>", '<p style="visibility: hidden">gone</p>', "<dialog>gone</dialog>"],
)  # fmt: skip
def test_what_is_hidden_is_told_and_not_read(hidden: str) -> None:
    page = to_markdown(f"<p>a</p>{hidden}<p>b</p>", name="page.html")
    assert page.text == "a\n\nb\n"
    assert page.notes == ("Hidden parts of the page were left out: 1.",)


@pytest.mark.parametrize(
    "shown",
    ['<p style="my-display:none">a</p>', '<p hidden="until-found">a</p>', "<dialog open>a</dialog>", "<body style='display:none'>a</body>", '<p aria-hidden="true">a</p>'],
)  # fmt: skip
def test_what_only_looks_hidden_is_read(shown: str) -> None:
    assert markdown_of(shown) == "a\n"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<nav><a href='/'>Home</a><a href='/p'>Prices</a></nav>", "Home Prices"),
        ("<button>Buy</button><button>Wrap</button>", "Buy Wrap"),
        ("<select><option>Red<option>Blue</select>", "Red Blue"),
        ("<code><a href='#a'>std</a><a href='#b'>::vec</a></code>", "`std::vec`"),
        ("<p><a href='#a'>Tea</a>s", "Teas"),
    ],
)
def test_links_and_fields_that_follow_each_other_stay_apart(html: str, text: str) -> None:
    assert markdown_of(html) == f"{text}\n"


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ("<caption>Fares</caption><colgroup><col><col></colgroup><tr><td>A<td>1", "Fares\n\n| A | 1 |\n| --- | --- |\n"),
        ("<thead><tr><th rowspan=2>Route<th colspan=2>Foot<tr><th>One<th>Two<tbody><tr><td>A<td>1<td>2", "| Route | Foot One | Foot Two |\n| --- | --- | --- |\n| A | 1 | 2 |\n"),
        ("<tr><th><th colspan=2>2023<tr><th>City<th>H1<th>H2<tr><td>Ulm<td>1<td>2", "| City | 2023 H1 | 2023 H2 |\n| --- | --- | --- |\n| Ulm | 1 | 2 |\n"),
        ("<thead><tr><th colspan=2>Fares<tr><th>A<th>B<tbody><tr><td>1<td>2", "Fares\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n"),
        ("<thead><tr><th>A<th>B<tfoot><tr><td>Sum<td>3<tbody><tr><th colspan=2>Group<tr><td>x<td>3", "| A | B |\n| --- | --- |\n| Group | |\n| x | 3 |\n| Sum | 3 |\n"),
    ],
)  # fmt: skip
def test_tables_have_one_row_of_heads_and_their_caption_before_them(table: str, text: str) -> None:
    assert markdown_of(f"<table>{table}</table>") == text


@given(st.lists(PIECES).map("".join))
def test_any_markup_is_read_the_same_way_twice(html: str) -> None:
    html = f"<p>start</p>{html}"
    assert markdown_of(html) == markdown_of(html)


def test_a_table_in_parts_is_one_table() -> None:
    html = "<table><thead><tr><td>a<tr><td>b<tbody><tr><td>c<tbody><tr><td>d<tfoot><tr><td>e</table>"
    assert markdown_of(html) == "| a b |\n| --- |\n| c |\n| d |\n| e |\n"


_UNFINISHED = (
    *(
        "<p ",
        "<a",
        "<!--",
        "<!-",
        "<![CDATA[",
        "<?",
        "</",
        "<p",
        "<",
        "&",
        "&#1",
        "<p a='",
        '<a href="',
        "<p a=",
        "<!DOCTYPE ",
    ),
    *(
        "<p>",
        "</p>",
        "<b>",
        "<b></p><p>x",
        "<div>",
        "<li>",
        "<ul><li>",
        "<ol><li>x",
        "<table>",
        "<tr><td>x",
        "<td rowspan=9>x",
    ),
    *(
        "<td colspan=9>x",
        "<thead><tr><th>x",
        "<tbody><tr><td>x",
        "<blockquote>",
        "<pre>",
        "<svg>",
        "<rt>x",
        "<h1>x",
        "<nav>x",
    ),
    *(
        "<main>x",
        "<article>x<nav>",
        "<br>",
        "<a href=x>",
        "<script>",
        "<title>",
        "<dl><dd>x",
        "x ",
        "\n",
        "`",
        "あ\n",
        "<p>あ\n",
    ),
    *(
        "<a href=#>x</a>",
        "<input>",
        "<p hidden>x",
        "<div hidden>",
        "<table><caption>x<tr><td>x</table>",
        "<table><tr><th colspan=2>x<tr><th>x<th>y<tr><td>x</table>",
        "<tbody><tr><td>x<tfoot><tr><td>x",
        "<tr><th colspan=9>x",
        "<ul><li><ul><li>x</ul></ul>",
    ),
)


@pytest.mark.parametrize(
    ("first", "unit"),
    [
        *(("", unit) for unit in _UNFINISHED),
        ("<table><thead>", "<tr><td>x"),
        ("<table>", "<tbody><tr><td>x<tfoot><tr><td>x"),
        ("<ul>", "<li>x"),
    ],
)
def test_a_page_takes_time_in_proportion_to_its_length(first: str, unit: str) -> None:
    def run(size: int) -> None:
        page = f"<p>x</p>{first}" + (unit * size)[:size]
        with suppress(UnreadableSource):  # told, which is what matters
            assert len(markdown_of(page)) <= 10 * len(page) + 10_000

    assert_in_proportion(run, 5_000)


@pytest.mark.parametrize("stated", ["9" * 5000, "0" * 5000, "-1", "²", "٣", "x", ""])
@pytest.mark.parametrize(
    "form", ["<ol start='{}'><li>a<li>b</ol>", "<table><tr><td colspan='{}'>a<td rowspan='{}'>b</table>"]
)
def test_a_count_that_is_none_is_not_taken_for_one(form: str, stated: str) -> None:
    text = markdown_of(form.replace("{}", stated))
    assert len(text) < 10_000
    assert all(word in text for word in "ab")


def test_cells_that_span_make_a_text_no_more_than_a_few_times_as_long() -> None:
    for cell in ("<td rowspan=1000>some words", "<td colspan=1000>some words", "<td rowspan=999 colspan=999>x"):
        page = "<table>" + f"<tr>{cell * 20}" * tried(60, long=300) + "</table>"
        converted = to_markdown(page, name="page.html")
        text, notes = converted.text, converted.notes
        assert len(text) < 4 * len(page)
        assert notes
        assert "repeated" in notes[0]


def test_lists_that_are_nested_too_deep_for_their_words_are_told() -> None:
    page = "<ol start=999999999><li>y" * 49 + "<li>x" * 5000
    with pytest.raises(UnreadableSource, match="nested too deep"):
        markdown_of(page)
