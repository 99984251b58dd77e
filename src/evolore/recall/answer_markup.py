"""What a written answer must not carry to the one who shows it: markup, addresses of its own, signs that nobody sees."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_UNSEEN = re.compile(
    "[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]+"
)
"""Signs that turn the direction of text, and that are not seen; the joiners of emoji and scripts are none of them."""

_ELEMENTS = """
a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button
canvas caption center cite code col colgroup command content data datalist dd del details dfn dialog dir div dl dt element em
embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image
img input ins isindex kbd keygen label legend li link listing main map mark marquee math menu menuitem meta meter multicol
nav nextid nobr noembed noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q
rb rp rt rtc ruby s samp script search section select shadow slot small source spacer span strike strong style sub summary
sup svg table tbody td template textarea tfoot th thead time title tr track tt u ul var video wbr xmp
"""
_MARKUP = re.compile(
    rf"<(?:[!?/]|(?:{'|'.join(_ELEMENTS.split())})(?![\w-])|[a-z][\w:-]{{0,80}}[\s/][^<>]{{0,400}}=)|"
    r"(?<![\w-])(?:javascript|vbscript|data|file|blob|about)\s{0,9}:(?=\s{0,9}[^\s\w]|\w{1,40}[(/;,.])",
    re.IGNORECASE,
)
"""Tags of HTML, open or not, and any with an attribute; addresses that run or hold something. ``Vec<T>`` is neither."""

_REST = r"[^\s<>\"'`()\[\]{}、。，！？「」『』（）]"
_ADDRESS = re.compile(
    rf"(?<![\w/\\:])(?:[a-z][a-z0-9+.-]{{0,30}}:)?[/\\]{{2,9}}(?=\w){_REST}{{1,500}}"
    rf"|(?<![\w.@-])(?:[^\W_](?:[\w-]{{0,62}}[^\W_])?\.){{1,9}}(?:xn--[a-z0-9-]{{1,60}}|[^\W\d_]{{2,24}})(?![\w@])(?:[:/?#]{_REST}{{1,500}})?",
    re.IGNORECASE,
)
"""``//host/path`` with and without a scheme, and bare hosts, which many a chat window makes links of."""

_CLOSING = ".,:;!?"


def without_unseen(text: str) -> str:
    """Take out the signs that nobody sees and those that turn the direction of what follows."""
    return _UNSEEN.sub("", text)


def markup_in(text: str) -> str | None:
    """Give the first markup of a sentence that a page would act on, also where it is written in entities; None for none.

    >>> markup_in("Use Vec<T>, or <b>bold</b>."), markup_in("a < b"), markup_in("&lt;img src=x&gt;")
    ('<b', None, '<img')
    """
    return next((found.group() for form in _forms(text) if (found := _MARKUP.search(form))), None)


def address_of_its_own(text: str, sources: Iterable[str]) -> str | None:
    """Give the first address of a sentence that stands in none of its sources; None for none.

    >>> address_of_its_own("See evil.example/x, or docs.example.", ["Read docs.example first."])
    'evil.example/x'
    """
    known = [unicodedata.normalize("NFKC", source).casefold() for source in sources]
    found = (match.group().rstrip(_CLOSING) for form in _forms(text) for match in _ADDRESS.finditer(form))
    return next((one for one in found if not any(one.casefold() in source for source in known)), None)


def _forms(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKC", without_unseen(text))
    read = unicodedata.normalize("NFKC", without_unseen(html.unescape(plain)))
    return (plain,) if read == plain else (plain, read)
