"""How soon a store's own texts tell what similarities of an unknown embedder mean: ``python benchmarks/foreign_calibration.py``.

Paragraphs of the project's own English pages: half of the pages fit a calibration that knows nothing of the embedder, their first 40
paragraphs, then more; the other half test it. Told are the loss in nats of "one matter" over pairs from one section and pairs from
two pages (0.69 is a coin's), the share of copies without 15 % of their words that reach the seed's 0.85 (half of them should), and of
other paragraphs that do (none should). "leaning" mixes with the stand-in for an unknown embedder below 230 texts.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np

from evolore.episodes.calibration import Calibration, Sample, fit, thinned
from evolore.models.embedders import embedder_named
from evolore.models.offline import HashingEmbedder
from evolore.ports import TextRole

PAGES = Path(__file__).resolve().parents[1] / "docs"
SHORTEST, LONGEST = 150, 800


def paragraphs() -> list[tuple[str, int, str]]:
    """Give each paragraph with the number of its section and its page."""
    found: list[tuple[str, int, str]] = []
    section = 0
    for page in sorted(PAGES.glob("*.md")):
        if len(page.suffixes) > 1:  # another language
            continue
        for part in page.read_text(encoding="utf-8").split("\n\n"):
            section += part.startswith("#")
            if len(part) >= SHORTEST and not part.startswith(("#", "`", "|", "<", "$")):
                found.append((" ".join(part.split())[:LONGEST], section, page.name))
    return found


class Trial:
    """Paragraphs with their vectors and those of their copies."""

    def __init__(self, name: str) -> None:
        embedder = HashingEmbedder(256) if name == "hashing" else embedder_named(name)
        texts, sections, pages = zip(*paragraphs(), strict=True)
        self.vectors = embedder.embed(texts, role=TextRole.PASSAGE)
        self.copies = embedder.embed([thinned(one) or one for one in texts], role=TextRole.PASSAGE)
        self.sections = np.array(sections)
        names = sorted(set(pages))
        Random(0).shuffle(names)
        self.pages = np.array([names.index(one) for one in pages])
        self.is_test = self.pages < len(names) // 2

    def fitted(self, count: int, before: Calibration) -> Calibration:
        """Fit to the first paragraphs, page by page."""
        order = np.flatnonzero(~self.is_test)
        chosen = order[np.argsort(self.pages[order], kind="stable")][:count]
        sample = Sample(
            vectors=self.vectors[chosen],
            matters=self.sections[chosen],
            documents=self.pages[chosen],
            copies=self.copies[chosen[:200]],
        )
        return fit(sample, before=before)

    def told(self, scale: Calibration) -> str:
        """Say how well a calibration serves the other half."""
        vectors, sections = self.vectors[self.is_test], self.sections[self.is_test]
        pages, copies = self.pages[self.is_test], self.copies[self.is_test]
        cosines = scale.cosines(vectors, vectors)
        likely = np.clip(scale.probability(cosines), 1e-4, 1.0 - 1e-4)
        same = np.triu(sections[:, None] == sections, 1)
        loss = -(np.log(likely[same]).mean() + np.log(1.0 - likely[pages[:, None] != pages]).mean()) / 2.0
        np.fill_diagonal(cosines, -1.0)
        is_copy = scale.s_dup(np.diag(scale.cosines(vectors, copies))) >= 0.85
        is_other = scale.s_dup(cosines.max(axis=1)) >= 0.85
        return f"loss {loss:.2f}, copies {is_copy.mean():.0%}, others {is_other.mean():.0%}"


def main() -> None:
    """Print a line a number of texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedder", choices=("use", "e5", "hashing"), default="use")
    trial = Trial(parser.parse_args().embedder)
    unknown = Calibration.unknown(trial.vectors.shape[1])
    for count in (40, 60, 100, 150, 230):
        for name, before in (("leaning", replace(unknown, texts=1)), ("alone", unknown)):
            print(f"{count:4} texts, {name:7}: {trial.told(trial.fitted(count, before))}")


if __name__ == "__main__":
    main()
