"""Print how much of files of every kind is read, and what hostile files cost.

Run it as ``.venv/bin/python benchmarks/readers.py`` (``--hostile`` for those alone, ``--show KIND`` for what is missing,
``--facts`` for the recall of planted facts).

*Read*: the share of the files that gave a document. *Recall*: the share of the words that a person would see in them (of
the characters, in Chinese and Japanese) that stand in the document, each as often as it was written; the least file is
told beside the mean. *Order*: the share of the sentences that stand whole in it. *Headings*: the share of the headings
that became one. *Pages*: the share of the sentences under a heading that names the page they are on.

A hostile file is read in a process of its own: *seconds* is its wall time, *MB* what it and its child held at most.

``--facts`` adds the files of ``fact_files`` to one default store, and asks for each of their facts. *first* and *in five*:
the share of the facts that the first hit, and one of the first five, shows of the right file. *cited*: of those in five,
the share whose citation names the heading, page, slide or sheet, and whose characters of the document hold the fact; *place*: or
whose passage shows that heading above the fact, as one does that holds several short sections.
*quoted*: the share that the answer without a chat model holds. ``--show FORMAT`` beside it asks of one format alone, among all
files, and prints what fails.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any

from evolore.domain.citation import hit_place
from evolore.errors import EvoloreError
from evolore.sources.files import FileReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evolore.domain.query import Hit
    from evolore.memory import Memory
    from fact_files import Fact
    from reader_files import Sample

_WORDS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)
_PAGE = re.compile(r"\(?p\. (\d+)\)?$")
_LEAST_FORMATS = 18
_MOST_SECONDS, _MOST_MB = 30.0, 1000.0


def words_of(text: str) -> Counter[str]:
    """Count the words of a text, of Chinese and Japanese the characters."""
    return Counter(_WORDS.findall(text))


def recall(sample: Sample, text: str) -> float:
    """Give the share of a file's words that stand in the text."""
    wanted = words_of("\n".join(sample.words or ()))
    return (wanted & words_of(text)).total() / max(wanted.total(), 1)


def bare(text: str) -> str:
    """Give the letters and digits of a text alone."""
    return "".join(_WORDS.findall(text))


def order(sample: Sample, text: str) -> float:
    """Give the share of the sentences that stand whole in the text."""
    found = bare(text)
    return mean([bare(one) in found for one in sample.words or ()] or [1.0])


def headings(sample: Sample, text: str) -> float | None:
    """Give the share of the headings that became headings."""
    found = [bare(one) for one in _HEADING.findall(text)]
    wanted = [bare(one) for one in sample.headings]
    return mean(any(each.startswith(one) for each in found) for one in wanted) if wanted else None


def pages(sample: Sample, text: str) -> float | None:
    """Give the share of the sentences under a heading that names their page."""
    if not sample.pages:
        return None
    page = 0
    found: dict[str, int] = {}
    for block in text.split("\n\n"):
        match = _HEADING.match(block)
        named = _PAGE.search(match[1]) if match else None
        page = int(named[1]) if named else page
        found[bare(block)] = page
    return mean(
        any(bare(one) in block and at == page for block, at in found.items()) for one, page in sample.pages.items()
    )


def measure(samples: Sequence[Sample], folder: Path, *, show: bool) -> dict[str, float | None]:
    """Read the files of one kind, and give the figures."""
    texts: list[tuple[Sample, str]] = []
    began = time.perf_counter()
    for sample in samples:
        path = folder / sample.name
        path.write_bytes(sample.data)
        try:
            texts.append((sample, FileReader().read(path).text))
        except EvoloreError as error:
            print(f"  not read: {error}", file=sys.stderr)
    seconds = time.perf_counter() - began
    known = [(sample, text) for sample, text in texts if sample.words is not None]
    found = [recall(*one) for one in known]
    if show:
        for (sample, text), share in zip(known, found, strict=True):
            missing = words_of("\n".join(sample.words or ())) - words_of(text)
            print(
                f"  {sample.name} {share:.3f} {order(sample, text):.2f} {headings(sample, text)} {dict(missing.most_common(8))}"
            )
    return {
        "files": len(samples),
        "read": len(texts) / len(samples),
        "recall": mean(found),
        "least": min(found),
        "order": mean(order(*one) for one in known),
        "headings": _mean([headings(*one) for one in known]),
        "pages": _mean([pages(*one) for one in known]),
        "s a file": seconds / len(samples),
    }


def _mean(some: Sequence[float | None]) -> float | None:
    known = [one for one in some if one is not None]
    return mean(known) if known else None


def print_corpus(only: str | None) -> bool:
    """Read the corpus, print the figures, and tell whether they are what they must be."""
    from reader_files import corpus  # noqa: PLC0415 - the child that reads a hostile file needs none of the writers

    every = corpus()
    if only and only not in every:
        raise SystemExit(f"There is no kind {only}: name one of {', '.join(every)}.")
    is_good = True
    print(
        f"{'kind':8}{'files':>7}{'read':>7}{'recall':>8}{'least':>7}{'order':>7}{'headings':>10}{'pages':>7}{'s/file':>8}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for kind, samples in every.items():
            if only and kind != only:
                continue
            row = measure(samples, Path(folder), show=only is not None)
            shown = [
                f"{value:.3f}" if isinstance(value, float) else "–" if value is None else str(value)
                for value in row.values()
            ]
            print(
                f"{kind:8}"
                + "".join(f"{text:>{width}}" for text, width in zip(shown, (7, 7, 8, 7, 7, 10, 7, 8), strict=True))
            )
            is_good &= (row["read"] or 0) >= 0.98 and (row["recall"] or 0) >= 0.97
    return is_good


def print_hostile() -> bool:
    """Read hostile files, each in a process of its own, and tell whether all of them were borne."""
    from hostile_files import hostile_files  # noqa: PLC0415 - likewise

    is_good = True
    print(f"{'hostile file':36}{'bytes':>12}{'s':>7}{'MB':>7}  what came of it")
    with tempfile.TemporaryDirectory() as folder:
        for name, data in hostile_files():
            path = Path(folder) / name
            path.write_bytes(data)
            began = time.perf_counter()
            done = subprocess.run(
                [sys.executable, __file__, "--one", str(path)], capture_output=True, text=True, check=False
            )
            seconds = time.perf_counter() - began
            reply: dict[str, Any] = (
                json.loads(done.stdout) if done.stdout else {"told": f"CRASH {done.stderr[-200:]}", "mb": 0}
            )
            is_good &= bool(done.stdout) and seconds <= _MOST_SECONDS and reply["mb"] <= _MOST_MB
            print(
                f"{name:36}{len(data):>12,}{seconds:>7.1f}{reply['mb']:>7.0f}  {reply['told'].replace(str(path), name)[:150]}"
            )
            path.unlink()
    return is_good


def print_facts(only: str | None, *, files: int, alike: bool) -> bool:
    """Ask a default store for the facts of every format, print the figures, and tell whether enough formats have all of them in five."""
    from fact_files import planted  # noqa: PLC0415 - likewise
    from harness import new_memory  # noqa: PLC0415 - likewise

    every = planted(files, alike=alike)
    if only and only not in every:
        raise SystemExit(f"There is no format {only}: name one of {', '.join(every)}.")
    found_all = 0
    print(f"{'format':8}{'files':>7}{'facts':>7}{'first':>7}{'in five':>9}{'place':>7}{'cited':>7}{'quoted':>8}")
    with new_memory() as memory, tempfile.TemporaryDirectory() as folder:
        for one in (one for some in every.values() for one in some):
            Path(folder, one.name).write_bytes(one.data)
        added = memory.add(folder, include=[f"*.{ending}" for ending in every])
        for failure in added.failures:
            print(f"  not read: {failure}", file=sys.stderr)
        texts = {one.document.id: memory.outline.tree(one.document.id, with_text=True).text for one in added.documents}
        for ending, some in every.items():
            if only in {None, ending}:
                asked = [(one.name, fact) for one in some for fact in one.facts]
                held = [_asked(memory, name, fact, texts, show=only is not None) for name, fact in asked]
                first, five, place, cited, quoted = (mean(column) for column in zip(*held, strict=True))
                print(
                    f"{ending:8}{len(some):>7}{len(held):>7}{first:>7.3f}{five:>9.3f}{place / max(five, 1e-9):>7.3f}{cited / max(five, 1e-9):>7.3f}{quoted:>8.3f}"
                )
                found_all += five == place == 1
    print(f"{found_all} formats have every fact in the first five hits, at its place.")
    return found_all >= (_LEAST_FORMATS if only is None else 1)


def _read_text(hit: Hit, texts: dict[str, str | None]) -> str:
    """Return what a hit's span holds of its document."""
    span, text = (hit.expansion or hit.episode).span, texts[hit.episode.document_id or ""]
    assert span is not None
    assert text is not None
    return span.of(text)


def _asked(memory: Memory, name: str, fact: Fact, texts: dict[str, str | None], *, show: bool) -> tuple[bool, ...]:
    """Ask for a fact, and tell whether it is found first, in five, at its place, cited so, and quoted."""
    hits = memory.recall(fact.question, record=False, limit=5).hits
    wanted = bare(fact.value)
    right = [hit for hit in hits if Path(hit.episode.source or "").name == name and wanted in bare(hit.text)]
    right = [hit for hit in right if wanted in bare(_read_text(hit, texts))]
    cited = [bare(fact.at) in bare(hit_place(hit).partition(f"/{name}")[0]) for hit in right]
    above = [bare(fact.at) in bare(hit.text).partition(wanted)[0] + wanted for hit in right]
    is_quoted = wanted in bare(memory.answer(fact.question, record=False).text)
    is_first = bool(right) and right[0].rank == 1
    if show and not (is_first and any(cited)):
        print(f"  {name}: {fact.text} [{fact.at}]")
        for hit in hits:
            print(f"    {hit.rank} {hit_place(hit)}: {' '.join(hit.text.split())[:160]}")
    return is_first, bool(right), any(cited) or any(above), any(cited), is_quoted


def read_one(path: Path) -> None:
    """Read one file, and print what came of it and what it cost."""
    try:
        read = FileReader().read(path)
        told = f"read: {len(read.text):,} characters {' '.join(read.notes)}"
    except EvoloreError as error:
        told = f"refused: {error}"
    # What a process held before it became this program counts in its own ru_maxrss, but not in VmHWM.
    own = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    held = (int(own[1]) if own else 0) + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(json.dumps({"told": told, "mb": held / 1024}))


def main() -> int:
    """Measure what is asked for; 1 where a figure is not what it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--show", metavar="KIND", help="only this kind, with what is missing of each file")
    parser.add_argument("--hostile", action="store_true", help="only the hostile files")
    parser.add_argument("--facts", action="store_true", help="only whether planted facts are found and cited rightly")
    parser.add_argument("--files", type=int, default=8, help="how many files of each format hold facts")
    parser.add_argument(
        "--alike", action="store_true", help="facts that name few things in few places: harder to tell apart"
    )
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        read_one(asked.one)
        return 0
    if asked.facts:
        return 0 if print_facts(asked.show, files=asked.files, alike=asked.alike) else 1
    is_good = asked.hostile or print_corpus(asked.show)
    if not asked.show:
        is_good &= print_hostile()
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
