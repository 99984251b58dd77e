"""Find what looks like a key, password, token, private key or card number, and put a mark in its place.

Each shape is looked for where its first letters stand, and reads a bounded stretch behind them: the time grows with the
length of a text alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import NamedTuple

from evolore.domain.metadata import MetadataValue
from evolore.domain.secret import FoundSecret, SecretKind, SecretsPolicy, places_of
from evolore.errors import InvalidValue
from evolore.text.word_files import Words, read_shared_words

_LEAST_PASSWORD = 6
_LEAST_BESIDE = 8
_LEAST_KEY = 16
_LEAST_DIGITS = 4
_DISTINCT = 8
_SHORT = 4
_TURNS = 3
"""So often small and capital letters alternate in what nobody reads as words: `KeePassXC` has two."""

_BEFORE_CARD = 32
_CONTINUED = re.compile(r"\n {4}")
_VALUE = re.compile(r"""(?:(?!["'`<>,;|()])[!-~]){4,200}""")
_ADDRESS = re.compile(r"://[^\s:/@?#]{0,64}:([^\s/@]{3,128})@")
_DIGITS = re.compile(
    r"\d(?:\d{13,18}|(?:\d{3}([ -])\d{4}\1\d{4}\1\d{4})|\d{3}([ -])\d{6}\2\d{4,5})(?!\d|[.,:-]\d|[A-Za-z_])", re.ASCII
)
_WORDS = re.compile("[a-z]{3,}(?:[-_. ][a-z]{3,}){2,}")
_TURN = re.compile("[a-z][A-Z]")
_INSIDE = re.compile(r"[^\w.:/-]", re.ASCII)
_YEAR = re.compile("(?:19|20)\\d\\d$")


class _Hit(NamedTuple):
    start: int
    end: int
    kind: SecretKind
    name: str


class Shape(NamedTuple):
    """The shape of an issuer's keys: what one begins with, and how it goes on."""

    name: str
    kind: SecretKind
    begins: str
    rest: re.Pattern[str]


def find_secrets(text: str, *, where: str = "text") -> tuple[FoundSecret, ...]:
    """Return what looks like a secret in a text, in its order; of two that overlap the first.

    >>> [one.place for one in find_secrets("The wifi password is Otter42!x.")]
    ['password in text, line 1']
    >>> find_secrets("I forgot my password.")
    ()
    """
    found: list[FoundSecret] = []
    end = line = at = 0
    for hit in sorted(chain(_issued(text), _in_addresses(text), _named(text), _cards(text)), key=_order):
        if hit.start >= end:
            line, at, end = line + text.count("\n", at, hit.start), hit.start, hit.end
            found.append(
                FoundSecret(kind=hit.kind, name=hit.name, start=hit.start, end=end, line=line + 1, where=where)
            )
    return tuple(found)


def without_secrets(text: str, found: tuple[FoundSecret, ...]) -> str:
    """Return a text with a mark in the place of each secret.

    >>> without_secrets(text := "PIN: 4711", find_secrets(text))
    'PIN: [redacted: password]'
    """
    for one in reversed(found):
        text = f"{text[: one.start]}[redacted: {one.name}]{text[one.end :]}"
    return text


def screened(
    texts: Mapping[str, str], metadata: Mapping[str, MetadataValue], policy: SecretsPolicy, *, of: str
) -> tuple[dict[str, str], dict[str, MetadataValue], tuple[FoundSecret, ...]]:
    """Return named texts and metadata as a policy keeps them, and what was found in them.

    Raises:
        InvalidValue: Something was found, and the policy refuses it; the message names kinds and places alone.
    """
    kept, filed, found = dict(texts), dict(metadata), list[FoundSecret]()
    for name, text in texts.items():
        some = find_secrets(text, where=name)
        kept[name], found = without_secrets(text, some), [*found, *some]
    for name, value in metadata.items():
        begin = len(name) + 2
        behind = find_secrets(f"{name}: {value}", where=f"metadata.{name}") if isinstance(value, str) else ()
        some = tuple(replace(one, start=one.start - begin, end=one.end - begin) for one in behind if one.start >= begin)
        filed[name], found = (without_secrets(value, some) if isinstance(value, str) else value), [*found, *some]
    if found and policy is SecretsPolicy.REFUSE:
        raise InvalidValue(
            f"{of} seems to hold a secret ({places_of(found)}), and `secrets` is 'refuse': take it out, or set `secrets` to "
            "'redact' or 'keep'. Nothing of it was stored."
        )
    is_redacted = policy is SecretsPolicy.REDACT
    return (kept if is_redacted else dict(texts)), (filed if is_redacted else dict(metadata)), tuple(found)


def _order(hit: _Hit) -> tuple[int, int]:
    return hit.start, -hit.end


def _occurrences(text: str, letters: str) -> Iterator[int]:
    at = text.find(letters)
    while at >= 0:
        yield at
        at = text.find(letters, at + len(letters))


def _is_letter(one: str) -> bool:
    return one.isascii() and one.isalnum()


def _is_inside(text: str, at: int) -> bool:
    """Return whether a word goes on over a place to its left: a shape in the midst of letters is none."""
    return at > 0 and (_is_letter(text[at - 1]) or text[at - 1] in "_-+")


def _issued(text: str) -> Iterator[_Hit]:
    for shape in shapes():
        for at in _occurrences(text, shape.begins):
            if shape.begins[0] not in ":.-" and _is_inside(text, at):
                continue
            match = shape.rest.match(text, at + len(shape.begins))
            if match is not None and not _is_letter(text[match.end() : match.end() + 1]):
                yield _Hit(at - len(match[1] or "") if match.re.groups else at, match.end(), shape.kind, shape.name)


def _in_addresses(text: str) -> Iterator[_Hit]:
    for at in _occurrences(text, "://"):
        match = _ADDRESS.match(text, at)
        if match is None or text.endswith("github", 0, at):
            continue
        if not _is_no_secret(match[1]) and match[1].lower() not in _passwords():
            yield _Hit(*match.span(1), SecretKind.PASSWORD, "password in an address")


def _named(text: str) -> Iterator[_Hit]:
    """Yield what stands behind a word for a password or a key."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    for word in (*_passwords(), *_keys()):
        read = 0
        for at in _occurrences(folded, word):
            if at >= read:
                read, hit = _behind(text, folded, at, word)
                if hit is not None:
                    yield hit


def _behind(text: str, folded: str, at: int, word: str) -> tuple[int, _Hit | None]:
    """Return up to where a text was read behind a word, and the secret that stands there."""
    end = at + len(word)
    if word.isascii() and not _is_whole(text, folded, at, word):
        return end, None
    read = end
    for gap in _gaps():
        match = gap.match(text, end)
        value = _VALUE.match(text, match.end()) if match is not None else None
        if match is None or value is None:
            continue
        said = value[0].rstrip(".:")
        stop = value.start() + len(said)
        read = max(read, stop)
        is_beside = gap is _gaps()[-1] and word.isascii()
        if (match[0] or not is_beside) and _is_secret(text, said, stop, word, is_beside=is_beside):
            kind = SecretKind.KEY if word in _keys() else SecretKind.PASSWORD
            return stop, _Hit(value.start(), stop, kind, kind.value)
    return read, None


def _is_whole(text: str, folded: str, at: int, word: str) -> bool:
    """Return whether a word in Latin letters is not a part of a longer one, and means what it is for."""
    end = at + len(word)
    if _is_letter(folded[end : end + 1]) or (len(word) <= _SHORT and at and _is_letter(folded[at - 1])):
        return False
    return word != "pin" or text.startswith("PIN", at) or folded.startswith(" code", end)


def _is_secret(text: str, said: str, stop: int, word: str, *, is_beside: bool) -> bool:
    """Return whether what stands behind a word for a secret is one, and no description or code."""
    if text[stop : stop + 1] in {"(", "["}:
        return False
    if said.isdecimal() and word in _passwords():
        return not is_beside and _is_number(text, said, stop, word)
    if _is_no_secret(said):
        return False
    return _looks_like_key(said) if word in _keys() else _looks_like_password(said, is_beside=is_beside)


def _is_no_secret(said: str) -> bool:
    return pattern_of("names", "no_secret").match(said) is not None


def _is_number(text: str, said: str, stop: int, word: str) -> bool:
    """Return whether digits are a number that opens something, and count nothing."""
    return (
        _LEAST_DIGITS <= len(said) <= _LEAST_KEY
        and not (word not in _pins() and _YEAR.match(said))
        and pattern_of("names", "counted").match(text, stop) is None
    )


def _looks_like_password(said: str, *, is_beside: bool) -> bool:
    said = said.rstrip("!?")
    has_letter, has_digit = any(one.isalpha() for one in said), any(one.isdecimal() for one in said)
    is_long = len(said) >= (_LEAST_BESIDE if is_beside else _LEAST_PASSWORD)
    if is_long and has_letter and (has_digit or _INSIDE.search(said)):
        return True
    is_random = len(said) >= _LEAST_BESIDE and said.isalnum() and len(_TURN.findall(said)) >= _TURNS
    return is_random or _WORDS.fullmatch(said) is not None


def _looks_like_key(said: str) -> bool:
    digits = sum(one.isdecimal() for one in said)
    return len(said) >= _LEAST_KEY and 1 < digits < len(said) and len(set(said)) >= _DISTINCT


def _cards(text: str) -> Iterator[_Hit]:
    for match in _DIGITS.finditer(text):
        before = text[max(0, match.start() - _BEFORE_CARD) : match.start()]
        if before and before[-1].isascii() and (before[-1].isalnum() or before[-1] in "_.-/"):
            continue
        number = re.sub("[ -]", "", match[0])
        is_named = pattern_of("cards", "named").search(before) is not None
        if (is_named or pattern_of("cards", "others").search(before) is None) and _is_card(number):
            yield _Hit(*match.span(), SecretKind.CARD, "card number")


def _is_card(number: str) -> bool:
    """Return whether an issuer gives such numbers, and the check digit (Luhn) fits."""
    if pattern_of("cards", "issuers").fullmatch(number) is None:
        return False
    doubled = "".join(str(int(one) * (1 + place % 2)) for place, one in enumerate(reversed(number)))
    return sum(map(int, doubled)) % 10 == 0


@cache
def _table(subject: str) -> Words:
    return read_shared_words("evolore.text", "secrets", subject)


@cache
def shapes() -> tuple[Shape, ...]:
    """Return the shapes that issuers give to keys and tokens."""
    rows = (line.split(" ; ", 3) for line in _table("shapes").lines("issued"))
    return tuple(Shape(name, SecretKind(kind), begins, re.compile(rest, re.ASCII)) for name, kind, begins, rest in rows)


@cache
def _passwords() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*_table("names").words("passwords"), *_pins())))


@cache
def _pins() -> tuple[str, ...]:
    return _table("names").words("pins")


@cache
def _keys() -> dict[str, None]:
    """Return the words for keys; where one has a stroke below, a blank and a hyphen serve too."""
    words = _table("names").words("keys")
    return dict.fromkeys(chain(words, (one.replace("_", mark) for one in words for mark in " -")))


@cache
def pattern_of(subject: str, name: str) -> re.Pattern[str]:
    """Return a regular expression of the words for secrets; each is matched at a place, or in a few letters."""
    return re.compile(_CONTINUED.sub("", _table(subject).texts[name]))


@cache
def _gaps() -> tuple[re.Pattern[str], ...]:
    return tuple(pattern_of("names", name) for name in ("assigned", "said", "beside"))
