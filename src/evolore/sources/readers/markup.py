"""Read LaTeX, AsciiDoc and subtitles."""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from typing import Final

from evolore.sources.decoding import decode
from evolore.sources.formats import Converted, ReaderLimits
from evolore.sources.readers.markdown import escaped, fenced, heading, joined, not_read, one_line

_CUE: Final = re.compile(r"^[^\n]*-->[^\n]*$", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n[ \t]*\n")
_VOICE: Final = re.compile(r"<v(?:\.[^<> ]*)? ([^<>]+)>")
_GOES_ON: Final = re.compile(
    r"(?<![\s.!?…。！？♪>])\n(?=[^\s♪–—-])(?!<v|[^\n:：]{1,30}[:：])"  # no sentence ends above, and no other speaker begins below
)
_WIDE: Final = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]{2}")
_CUE_MARK: Final = re.compile(r"<[^<>\n]*>|\{\\[^{}\n]*\}")


def read_subtitles(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read the words of subtitles, a sentence of a cue on one line; their numbers and times are left out."""
    decoded = decode(data, name=name)
    blocks = _PARAGRAPHS.split(decoded.text.replace("\r\n", "\n"))
    said = [
        unescape(_CUE_MARK.sub("", _VOICE.sub(r"\1: ", _GOES_ON.sub(_joint, _CUE.split(one, maxsplit=1)[-1].strip()))))
        for one in blocks
        if "-->" in one
    ]
    return Converted(text=escaped("\n".join(filter(None, map(str.strip, said))) + "\n"), encoding=decoded.encoding)


def _joint(end: re.Match[str]) -> str:
    """Return what is between two lines of a sentence: a blank, but none between Chinese or Japanese."""
    around = end.string[end.start() - 1] + end.string[end.end()]
    return "" if _WIDE.fullmatch(around) else " "


_HEADING: Final = re.compile(r"={1,6}(?= +\S)")
_LISTING: Final = re.compile(r"-{4,}|\.{4,}")
_TAKES_IN: Final = re.compile(r"^(?:include|image)::([^\[\n]+)\[", re.MULTILINE)


def read_asciidoc(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read headings, code and words; remarks go, files it would include are not read."""
    decoded = decode(data, name=name)
    lines: list[str] = []
    edge, above = "", ""
    for line in map(str.rstrip, decoded.text.splitlines()):
        is_underline = line[:1] == "-" and abs(len(line) - len(above)) <= len("==")
        if line == edge if edge else _LISTING.fullmatch(line) and not is_underline:
            edge = "" if edge else line
            lines.append("```")
        elif edge:
            lines.append(line)
        elif not line.startswith("//"):
            lines.append(_HEADING.sub(lambda found: "#" * len(found[0]), line, count=1) if line[:1] == "=" else line)
        above = line
    notes = not_read(_TAKES_IN.findall(decoded.text))
    return Converted(text="\n".join(lines).strip("\n") + "\n", notes=notes, encoding=decoded.encoding)


_WITHIN: Final = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
_KEPT: Final = re.compile(
    r"\\begin\{(?P<code>verbatim|lstlisting|minted)\*?\}(?P<listing>(?:(?!\\begin\{).)*?)\\end\{(?P=code)\*?\}"
    r"|\\begin\{(?P<math>equation|align|gather|multline|eqnarray)\*?\}(?:(?!\\begin\{(?:equation|align|gather)).)*?\\end\{(?P=math)\*?\}"
    r"|(?<!\\)\$\$?[^$]+\$\$?|(?<!\\)\\\[(?:(?!\\\[).)*?\\\]|\\\((?:(?!\\\().)*?\\\)",
    re.DOTALL,
)
_TEX_REMARK: Final = re.compile(r"^[ \t]*%[^\n]*\n|(\\url\{[^{}\n]*\}|\\.)|%[^\n]*", re.MULTILINE)
_FIRST: Final = re.compile(
    r"\\(?:multicolumn|multirow|resizebox|fontsize|rule)\*?\{[^{}\n]*\}\{[^{}\n]*\}"
    r"|\\(?:textcolor|colorbox|parbox|color|cmidrule|cline|bibitem)(?:\([^()\n]*\))?(?:\[[^\[\]\n]*\])?\{[^{}\n]*\}"
)
_CITED: Final = re.compile(r"\\cite[a-zA-Z]{0,9}\*?(?:\[[^\[\]\n]*\])*\{([^{}\n]*)\}")
_STATED: Final = re.compile(r"\\(title|author|date)" + _WITHIN)
_SECTION: Final = re.compile(
    r"\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)\*?(?:\[[^\]\n]{0,500}\])?" + _WITHIN
)
_RANKS: Final = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_NO_WORDS: Final = re.compile(
    r"\\(?:label|ref|eqref|pageref|autoref|cref|bibliography|bibliographystyle|includegraphics|input|include|vspace|hspace"
    r"|usepackage|documentclass|setlength|setcounter|pagestyle|thispagestyle|hypersetup|pagenumbering|addcontentsline"
    r"|newcommand|renewcommand|maketitle|begin\{(?:tabular|array|longtable|tabularx|minipage|multicols)\*?\}|end|begin)\*?"
    r"(?:\[[^\[\]\n]*\]|\{(?:[^{}\n]|\{[^{}\n]*\})*\})*"
)
_ASIDE: Final = re.compile(r"\\(?:footnote|thanks|marginpar)" + _WITHIN)
_ADDRESS: Final = re.compile(r"\\href\{[^{}]*\}")
_ITEM: Final = re.compile(r"\\item(?![a-zA-Z])[ \t]*(?:\[([^\]\n]{0,500})\][ \t]*)?")
_ACCENT: Final = re.compile(r"\\([`'^\"~=.]|[cuvHk](?=\{))(?:\{\\?([A-Za-z])\}|\\?([A-Za-z]))")
_ACCENTS: Final = dict(
    zip("`'^\"~=.cuvHk", "\u0300\u0301\u0302\u0308\u0303\u0304\u0307\u0327\u0306\u030c\u030b\u0328", strict=True)
)
_LETTERS: Final = "ss=ß ae=æ oe=œ AE=Æ o=ø O=Ø aa=å AA=Å l=ł L=Ł ldots=… dots=… S=§"
_NAMES: Final = {"par": "\n\n", "and": ", ", "LaTeX": "LaTeX", "TeX": "TeX"}
_SIGNS: Final = _NAMES | {one[:-2]: one[-1] for one in _LETTERS.split()}
_COMMAND: Final = re.compile(r"\\([a-zA-Z]+)\*?(?:\[[^\]\n]{0,500}\])?[ \t]*")
_BREAK: Final = re.compile(r"\\\\\*?(?:\[[^\]\n]{0,500}\])?[ \t]*\n?")
_ESCAPED_SIGN: Final = re.compile(r"\\([%&_#$ ,;/!-])")
_TAKEN_IN: Final = re.compile(r"\\(?:input|include|includegraphics)(?:\[[^\]\n]{0,500}\])?\{([^{}\n\\\ue000]*)\}")
_GAP: Final = re.compile(r"\n{3,}")
_PLACE: Final = re.compile("\ue000(\\d+)\ue001")


def read_latex(data: bytes, *, name: str, suffix: str, limits: ReaderLimits) -> Converted:  # noqa: ARG001 - as every reader
    """Read LaTeX: title, headings, items and words; formulas and code as they are; files it would include are not read."""
    decoded = decode(data, name=name)
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(f"\n\n{fenced(found['listing'])}\n\n" if found["code"] else found[0])
        return f"\ue000{len(kept) - 1}\ue001"

    text = decoded.text.replace("\r\n", "\n")
    text = _KEPT.sub(keep, _TEX_REMARK.sub(lambda found: found[1] or "", text))
    _, begin, body = text.partition(r"\begin{document}")
    stated = {one[1]: one_line(_tex_words(one[2])) for one in _STATED.finditer(text)}
    body = _tex_words(_STATED.sub("", body.partition(r"\end{document}")[0] if begin else text))
    title = stated.get("title", "")
    above = (heading(1, title) if title else "", stated.get("author", ""), stated.get("date", ""))
    whole = _PLACE.sub(lambda found: kept[int(found[1])], joined([*above, body]))
    notes = not_read(_TAKEN_IN.findall(text))
    return Converted(text=_GAP.sub("\n\n", whole), title=title, notes=notes, encoding=decoded.encoding)


def _tex_words(text: str) -> str:
    """Write LaTeX as Markdown, line by line as it is."""
    text = _SECTION.sub(lambda found: f"\n\n{heading(_RANKS.index(found[1]) + 1, found[2])}\n\n", text)
    text = _CITED.sub(r"[\1]", _FIRST.sub("", text))
    text = _NO_WORDS.sub("", _ADDRESS.sub("", _ASIDE.sub(r" (\1)", text)))
    text = _ITEM.sub(lambda found: f"- {found[1]}: " if found[1] else "- ", text)
    text = _BREAK.sub("\n", text.replace(r"\&", "\ue002").replace("&", "|").replace("\ue002", "&"))
    text = _ACCENT.sub(lambda found: unicodedata.normalize("NFC", (found[2] or found[3]) + _ACCENTS[found[1]]), text)
    text = _COMMAND.sub(lambda found: _SIGNS.get(found[1], ""), _ESCAPED_SIGN.sub(r"\1", text))
    text = re.sub(r"(?<!\\)[{}]", "", text).replace(r"\{", "{").replace(r"\}", "}")
    return "\n".join(line.strip() for line in text.replace("``", "“").replace("''", "”").replace("~", " ").split("\n"))
