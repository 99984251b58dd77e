"""Find what looks like a key, password, token, private key or card number, and replace it by a mark.

Words and the first letters of shapes are searched all at once, and each reads a bounded stretch behind it: the time grows
with the length of a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import TypeAlias, cast

import numpy as np
import numpy.typing as npt

from evolore.domain.filed import filed, filed_values
from evolore.domain.metadata import MetadataValue
from evolore.domain.secret import FoundSecret, SecretKind, SecretsPolicy, places_of
from evolore.errors import InvalidValue
from evolore.text.word_files import read_shared_words

_SUBJECTS = (
    *("latin", "short", "han", "keys", "logins", "again", "behind", "codes"),
    *("recovery", "seeds", "phrases", "wifi", "locks", "pairs", "guarded"),
)
_ANYWHERE = ("latin", "han", "keys")
_BEFORE_CARD = 32
_BEFORE_NAME = 128
_LEAST_NAMED = 6
"""A secret of metadata this long is one in the text too: 4711 may be a house."""
_REFERENCE = re.compile(r"\{([a-z_]+)\}")
_LATIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_DIGITS = re.compile(
    # Its first digit comes first, which is what most places fail by.
    r"[23456](?<![\w./-].)(?<![A-Z]{2}\d\d .)(?<!\d{4} .)(?:\d{13,18}|\d{3}([ -])\d{4}\1\d{4}\1\d{4}|\d{3}([ -])\d{6}\2\d{4,5})(?![\w-]|[.,:]\d)",
    re.ASCII,
)
_AT_ONCE, _MOST_LETTERS = 1 << 18, 3
_HASH_BITS, _FACTOR = 16, np.uint32(0x9E3779B1)

_Hit: TypeAlias = tuple[int, int, SecretKind, str]


def find_secrets(text: str, *, where: str = "text") -> tuple[FoundSecret, ...]:
    """Return what looks like a secret in a text, in its order; of two that overlap the first.

    >>> [one.place for one in find_secrets("The wifi password is Otter42!x.")]
    ['password in text, line 1']
    >>> find_secrets("I forgot my password.")
    ()
    """
    found: list[FoundSecret] = []
    last = line = at = 0
    for start, end, kind, name in sorted(
        chain(_issued(text), _named(text), _cards(text)), key=lambda hit: (hit[0], -hit[1])
    ):
        if start >= last:
            line, at, last = line + text.count("\n", at, start), start, end
            found.append(FoundSecret(kind=kind, name=name, start=start, end=end, line=line + 1, where=where))
    return tuple(found)


def without_secrets(text: str, found: tuple[FoundSecret, ...]) -> str:
    """Return a text with a mark instead of each secret.

    >>> without_secrets(text := "PIN: 4711", find_secrets(text))
    'PIN: [redacted: PIN]'
    """
    for one in reversed(found):
        text = f"{text[: one.start]}[redacted: {one.name}]{text[one.end :]}"
    return text


def screened(
    texts: Mapping[str, str], metadata: Mapping[str, MetadataValue], policy: SecretsPolicy, *, of: str
) -> tuple[dict[str, str], dict[str, MetadataValue], tuple[FoundSecret, ...]]:
    """Return texts and metadata, by name, as a policy keeps them, and what was found in them.

    A value of metadata is read behind its name: of a password, that may be all that says so, also where a text repeats it.
    What was filed in parts as JSON is read as a whole.

    Raises:
        InvalidValue: Something was found, and the policy refuses it; the message names kinds and places alone.
    """
    found: list[FoundSecret] = []
    named: dict[str, str] = {}

    def kept(value: str, where: str, before: str = "") -> str:
        some = (one for one in find_secrets(before + value, where=where) if one.start >= len(before))
        here = tuple(replace(one, start=one.start - len(before), end=one.end - len(before)) for one in some)
        found.extend(here)
        named.update({value[one.start : one.end]: f"[redacted: {one.name}]" for one in here if before})
        return without_secrets(value, here) if policy is SecretsPolicy.REDACT else value

    said = {name: kept(text, name) for name, text in texts.items()}
    whole = filed_values(metadata)
    parts = {part for name, value in whole.items() for part in filed(name, value, what=name)}
    labels = {
        name: kept(value, f"metadata.{name}", f"{name}: ") if isinstance(value, str) else value
        for name, value in metadata.items()
        if name not in parts
    }
    for name, value in whole.items():
        read = walked(value, lambda text, of, name=name: kept(text, f"metadata.{name}", f"{of or name}: "))
        labels |= filed(name, read, what=f"metadata.{name}")
    for secret, mark in named.items() if policy is SecretsPolicy.REDACT else ():
        said |= {name: text.replace(secret, mark) for name, text in said.items() if len(secret) >= _LEAST_NAMED}
    if found and policy is SecretsPolicy.REFUSE:
        raise InvalidValue(
            f"{of} seems to hold a secret ({places_of(found)}), and `secrets` is 'refuse': take it out, or set `secrets` to "
            "'redact' or 'keep'. Nothing of it was stored."
        )
    return said, labels, tuple(found)


def walked(value: object, change: Callable[[str, str], str], *, of: str = "") -> object:
    """Return JSON with each text as a function changes it, which is told the nearest name that holds it."""
    if isinstance(value, str):
        return change(value, of)
    if isinstance(value, dict):
        return {name: walked(one, change, of=name) for name, one in cast("dict[str, object]", value).items()}
    return [walked(one, change, of=of) for one in cast("list[object]", value)] if isinstance(value, list) else value


def redacted(value: object) -> object:
    """Return JSON, or a text, with a mark instead of each secret."""
    return walked(value, lambda text, _: without_secrets(text, find_secrets(text)))


def named_tags(tags: Iterable[str]) -> dict[str, str]:
    """Return tags by the names that reports of secrets use."""
    return {f"tags.{place}": tag for place, tag in enumerate(tags)}


def _occurrences(text: str, words: tuple[str, ...]) -> Mapping[str, list[int]]:
    """Return where each of many words is, in one pass over a text: by hashes of what it begins with.

    Each place is found once: of "aaaa" the word "aa" is at 0 and 2. Searching the 528 words one by one took six times as long.
    """
    found: defaultdict[str, list[int]] = defaultdict(list)
    for start in range(0, len(text), _AT_ONCE):
        part = text[start : start + _AT_ONCE + _MOST_LETTERS - 1]  # what begins at its end is whole
        codes = np.frombuffer(part.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)[: len(part)]
        for letters, is_beginning, beginning in _beginnings(words):
            places = np.flatnonzero(is_beginning[_hashed(codes, letters)])
            for place in places[places < _AT_ONCE].tolist():
                at = start + place
                for word in beginning.get(text[at : at + letters], ()):
                    if text.startswith(word, at) and (word not in found or found[word][-1] + len(word) <= at):
                        found[word].append(at)
    return found


@cache
def _beginnings(words: tuple[str, ...]) -> list[tuple[int, npt.NDArray[np.bool_], dict[str, list[str]]]]:
    """Return, by how many letters words begin with, which hashes those have, and the words of each beginning."""
    by_beginning: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for word in dict.fromkeys(words):
        beginning = word[:_MOST_LETTERS]
        by_beginning[len(beginning)][beginning].append(word)
    found: list[tuple[int, npt.NDArray[np.bool_], dict[str, list[str]]]] = []
    for letters, held in sorted(by_beginning.items()):
        is_beginning = np.zeros(1 << _HASH_BITS, dtype=np.bool_)
        codes = np.array([[ord(letter) for letter in one] for one in held], dtype=np.uint32).ravel()
        is_beginning[_hashed(codes, letters)[::letters]] = True
        found.append((letters, is_beginning, dict(held)))
    return found


def _hashed(codes: npt.NDArray[np.uint32], letters: int) -> npt.NDArray[np.uint32]:
    """Return a hash of so many letters from each place on."""
    count = max(0, len(codes) - letters + 1)
    hashed = np.zeros(count, dtype=np.uint32)
    for place in range(letters):
        hashed = (hashed + codes[place : place + count]) * _FACTOR
    return hashed >> np.uint32(32 - _HASH_BITS)


def _issued(text: str) -> Iterator[_Hit]:
    """Yield what has the shape of an issuer's keys."""
    there = _occurrences(text, tuple(letters for _, _, letters, _ in shapes()))
    for name, kind, letters, pattern in shapes():
        for at in there.get(letters, ()):
            match = pattern.match(text, at)
            if match is not None:
                yield (*match.span(match.lastindex or 0), kind, name)


def _named(text: str) -> Iterator[_Hit]:
    """Yield what follows a word for a password or a key."""
    folded = text.lower()
    if len(folded) != len(text):
        folded = "".join(one.lower() if len(one.lower()) == 1 else one for one in text)
    there = _occurrences(folded, tuple(word for subject in _SUBJECTS for word in _words(subject)))
    passing = pattern_of("passed")
    for subject in _SUBJECTS:
        kind, pattern = (SecretKind.KEY if subject == "keys" else SecretKind.PASSWORD), pattern_of(subject)
        for word in _words(subject):
            read = 0
            for at in there.get(word, ()):
                end = at + len(word)
                if at < read or (subject not in _ANYWHERE and at and folded[at - 1] in _LATIN):
                    continue
                since = max(0, at - _BEFORE_NAME)
                if subject == "again" and pattern_of("names").search(text, since, at) is None:
                    continue
                match = pattern.search(text, since, at) if subject == "behind" else pattern.match(text, end)
                if match is not None:
                    yield (*match.span(match.lastindex or 0), kind, kind.value)
                passed = match or passing.match(text, end)
                read = end if passed is None else passed.end()


def _cards(text: str) -> Iterator[_Hit]:
    """Yield numbers in an issuer's range whose check digit (Luhn) fits, unless the words before name another number."""
    for match in _DIGITS.finditer(text):
        before, number = text[max(0, match.start() - _BEFORE_CARD) : match.start()], re.sub("[ -]", "", match[0])
        doubled = "".join(str(int(one) * (1 + place % 2)) for place, one in enumerate(reversed(number)))
        if sum(map(int, doubled)) % 10 or pattern_of("issuers").fullmatch(number) is None:
            continue
        if pattern_of("others").search(before) is None or pattern_of("cards").search(before) is not None:
            yield (*match.span(), SecretKind.CARD, "card number")


@cache
def shapes() -> tuple[tuple[str, SecretKind, str, re.Pattern[str]], ...]:
    """Return the shapes of secrets by name, kind and first letters."""
    rows = (line.split(" ; ", 3) for line in read_shared_words("evolore.text", "secrets", "shapes").lines("issued"))
    return tuple(
        (name, SecretKind(kind), letters, re.compile(_expanded(pattern), re.ASCII))
        for name, kind, letters, pattern in rows
    )


@cache
def _words(subject: str) -> tuple[str, ...]:
    """Return words; where one has a stroke below, a blank, a hyphen and nothing serve too."""
    words = read_shared_words("evolore.text", "secrets", "words").words(subject)
    return tuple(dict.fromkeys(one.replace("_", mark) for one in words for mark in ("_", " ", "-", "")))


@cache
def pattern_of(name: str) -> re.Pattern[str]:
    """Return a regular expression that is matched at a place, or searched in a few letters."""
    return re.compile(_expanded(f"{{{name}}}"))


def _expanded(pattern: str) -> str:
    """Return a pattern with others instead of their names in braces."""
    while match := _REFERENCE.search(pattern):
        inside = read_shared_words("evolore.text", "secrets", "patterns").lines(match[1])[0]
        pattern = pattern.replace(match[0], f"(?:{inside})")
    return pattern
