"""What was promoted lasts: where its source changes, is written back, is taken back, or both changed."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.domain.evolution import GenerationStanding, JobState, Standing
from evolore.domain.review import Resolution, ReviewStatus
from evolore.errors import InvalidValue, StoreUnwritable, UnreadableSource
from evolore.evolution.settings import EvolutionSettings
from evolore.flows.add import AddedDocument, AddOutcome, add_texts
from evolore.flows.rebase import RebasePlan
from evolore.memory.async_memory import AsyncMemory
from evolore.ports import SourceText
from evolore.sources.files import FileReader
from evolving.canaries import waiting
from evolving.complaints import BETTER, NEWS, PEOPLE, TEXT, complain, open_memory, text_of
from evolving.scripted import NEW, OLD, ScriptedEditor

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from evolore.memory import Memory
    from evolore.store.writing import StoreWriter

EIGHT = OLD.replace("7", "8")
ELSEWHERE = TEXT.replace("at noon", "at one")
SECTION = ("Refunds", "Time")


def added(memory: Memory, text: str, **given: object) -> AddedDocument:
    source = SourceText(source="refunds.md", text=text, media_type=MediaType.MARKDOWN, **given)  # pyright: ignore[reportArgumentType]
    return add_texts(memory._context, [source]).documents[0]


def told(done: AddedDocument) -> list[tuple[tuple[str, ...], Standing]]:
    return [(one.section, one.standing) for one in done.promotions]


@contextmanager
def promoted(folder: Path) -> Generator[tuple[Memory, str]]:
    with waiting(folder) as (memory, job_id):
        memory.evolution.approve(job_id)
        assert text_of(memory) == BETTER
        yield memory, job_id


def standing(memory: Memory) -> GenerationStanding:
    return memory.evolution.generations("refunds.md")[-1].standing


def is_sound(memory: Memory) -> bool:
    return memory.store.verify().is_whole and memory.store.doctor().is_whole


def test_a_promoted_section_holds_where_its_source_changes_elsewhere_again_and_again(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        source = TEXT
        for number in range(5):
            source = source.replace("# Refunds\n", f"# Refunds\n\nLine {number}.\n") + f"\n## More {number}\n\nx\n"
            done = added(memory, source)
            assert (done.outcome, told(done)) == (AddOutcome.CHANGED, [(SECTION, Standing.HELD)])
            assert text_of(memory) == source.replace(OLD, NEW)
            assert added(memory, source).outcome is AddOutcome.UNCHANGED
        assert standing(memory) is GenerationStanding.HELD
        assert is_sound(memory)


def test_its_passages_stay_the_ones_they_are(tmp_path: Path) -> None:
    long = "".join(
        f"\n## Case {case}\n\n"
        + " ".join(f"In case {case} rule {rule} of the desk holds." for rule in range(30))
        + "\n"
        for case in range(4)
    )

    def passages(memory: Memory) -> set[str]:
        with memory._context.store.read(memory.namespace) as reader:
            document = reader.document_by_source("refunds.md")
            assert document is not None
            return {one.id for one in reader.leaf_episodes(document.id) if "rule 20" in one.text}

    with waiting(tmp_path) as (memory, job_id):
        memory.evolution.approve(job_id, text=BETTER + long)
        before = passages(memory)
        added(memory, ELSEWHERE)
        assert text_of(memory) == ELSEWHERE.replace(OLD, NEW) + long
        assert passages(memory) == before != set()


def test_a_section_that_both_changed_waits_and_nothing_is_lost(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        source = TEXT.replace(OLD, EIGHT)
        done = added(memory, source)
        assert told(done) == [(SECTION, Standing.WAITING)]
        assert (text_of(memory), done.review_items) == (source, 1)
        (item,) = memory.review.list(category="promotion")
        assert done.promotions[0].review_id == item.id
        assert item.id is not None
        found = memory.review.conflict(item.id)
        assert (OLD in found.base, NEW in found.promoted, EIGHT in found.source) == (True, True, True)
        assert standing(memory) is GenerationStanding.WAITING
        assert told(added(memory, source + "\n## More\n\nx\n")) == [(SECTION, Standing.WAITING)]
        assert len(memory.review.list(category="promotion")) == 1, "it is asked once"
        assert is_sound(memory)


def waits(memory: Memory) -> str:
    added(memory, TEXT.replace(OLD, EIGHT))
    (item,) = memory.review.list(category="promotion")
    assert item.id is not None
    return item.id


def test_a_person_keeps_the_promoted_text_and_it_lasts_from_there(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        done = memory.review.settle_promotion(waits(memory), keep="promoted", note="The desk says so.")
        assert (text_of(memory), done.document.version, done.item.note) == (BETTER, 4, "The desk says so.")
        assert standing(memory) is GenerationStanding.HELD
        source = TEXT.replace(OLD, EIGHT) + "\n## More\n\nx\n"
        assert told(added(memory, source)) == [(SECTION, Standing.HELD)]
        assert text_of(memory) == source.replace(EIGHT, NEW)
        assert told(added(memory, source.replace(EIGHT, OLD))) == [(SECTION, Standing.WAITING)], "asked anew"
        assert is_sound(memory)


def test_a_person_keeps_the_sources_text_and_is_not_asked_again(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        done = memory.review.settle_promotion(waits(memory), keep="source")
        assert (done.item.status, done.document.version) == (ReviewStatus.RESOLVED, 3)
        assert text_of(memory) == TEXT.replace(OLD, EIGHT)
        assert standing(memory) is GenerationStanding.NO_LONGER
        assert told(added(memory, TEXT.replace(OLD, EIGHT) + "\nx\n")) == []
        assert memory.review.list(category="promotion") == ()
        with pytest.raises(InvalidValue, match="settled already"):
            memory.review.settle_promotion(str(done.item.id), keep="promoted")


def test_what_waits_holds_again_where_the_source_says_again_what_it_said(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        id_ = waits(memory)
        assert told(added(memory, TEXT)) == [(SECTION, Standing.HELD)]
        assert text_of(memory) == BETTER
        assert memory.review.show(id_).resolution is Resolution.GONE


def test_a_source_that_comes_to_say_what_was_promoted_says_it_itself(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, job_id):
        done = added(memory, BETTER)
        assert (done.outcome, done.document.version, told(done)) == (
            AddOutcome.UNCHANGED,
            2,
            [(SECTION, Standing.IN_SOURCE)],
        )
        assert standing(memory) is GenerationStanding.IN_SOURCE
        assert added(memory, BETTER).promotions == ()
        with pytest.raises(InvalidValue, match="the source's own"):
            memory.evolution.rollback(job_id, reason="no")
        assert told(added(memory, BETTER + "\n## More\n\nx\n")) == [], "it is told once"
        assert told(added(memory, TEXT)) == [], "the source took it back itself"
        assert (text_of(memory), standing(memory)) == (TEXT, GenerationStanding.ROLLED_BACK)
        assert is_sound(memory)


def test_what_waits_is_over_where_the_source_comes_to_say_it(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        id_ = waits(memory)
        assert told(added(memory, BETTER)) == [(SECTION, Standing.IN_SOURCE)]
        assert memory.review.show(id_).status is ReviewStatus.RESOLVED


@pytest.mark.parametrize("settled", [False, True])
def test_a_rollback_gives_the_sources_text_back_after_it_changed(tmp_path: Path, *, settled: bool) -> None:
    with promoted(tmp_path) as (memory, job_id):
        source = ELSEWHERE
        if settled:
            memory.review.settle_promotion(waits(memory), keep="promoted")
            source = ELSEWHERE.replace(OLD, EIGHT)
        added(memory, source)
        added(memory, source + "\n## More\n\nx\n")
        back = memory.evolution.rollback(job_id, reason="no")
        assert text_of(memory) == source + "\n## More\n\nx\n"
        assert len(back.reopened) == len(PEOPLE)
        assert standing(memory) is GenerationStanding.ROLLED_BACK
        assert added(memory, source + "\n## More\n\nx\n").outcome is AddOutcome.UNCHANGED
        added(memory, source)
        assert text_of(memory) == source
        assert is_sound(memory)


def test_a_rollback_of_what_waits_ends_the_question(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, job_id):
        id_ = waits(memory)
        back = memory.evolution.rollback(job_id, reason="no")
        assert [one.restored for one in back.promotion.documents] == [None]
        assert memory.review.show(id_).status is ReviewStatus.RESOLVED
        assert text_of(memory) == TEXT.replace(OLD, EIGHT)


def test_what_a_person_wrote_in_several_sections_stands_partly(tmp_path: Path) -> None:
    with waiting(tmp_path) as (memory, job_id):
        edited = BETTER.replace("The desk decides", "The boss decides") + "\n## New\n\nMade up.\n"
        memory.evolution.approve(job_id, text=edited)
        done = added(memory, TEXT.replace(OLD, EIGHT))
        assert [kind for _, kind in told(done)] == [Standing.WAITING, Standing.HELD, Standing.HELD]
        assert text_of(memory) == edited.replace(NEW, EIGHT)
        assert standing(memory) is GenerationStanding.PARTLY
        memory.evolution.rollback(job_id, reason="no")
        assert text_of(memory) == TEXT.replace(OLD, EIGHT)


def test_a_change_of_title_or_markup_keeps_what_was_promoted(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        assert told(added(memory, TEXT, title="Money")) == [(SECTION, Standing.HELD)]
        assert (text_of(memory), memory.list().documents[0].title) == (BETTER, "Money")


def test_what_is_killed_while_it_asks_leaves_the_version_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(self: RebasePlan, writer: StoreWriter, *, at: object) -> None:
        del self, writer, at
        raise KeyboardInterrupt

    with promoted(tmp_path) as (memory, _):
        monkeypatch.setattr(RebasePlan, "write", stop)
        with pytest.raises(KeyboardInterrupt):
            added(memory, TEXT.replace(OLD, EIGHT))
        assert (text_of(memory), memory.review.list(category="promotion")) == (BETTER, ())
        assert is_sound(memory)


def test_it_moves_with_an_export_and_is_forgotten_with_its_document(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        added(memory, ELSEWHERE)
        memory.store.export(tmp_path / "all.jsonl")
        with open_memory(tmp_path / "other") as other:
            other.store.import_(tmp_path / "all.jsonl")
            assert told(added(other, ELSEWHERE + "\nx\n")) == [(SECTION, Standing.HELD)]
        memory.forget(document="refunds.md")
        assert NEW.encode() not in b"".join(
            one.read_bytes() for one in (tmp_path / "store").rglob("*") if one.is_file()
        )


@contextmanager
def of_file(
    folder: Path, data: bytes, *, name: str = "refunds.md", settings: EvolutionSettings | None = None
) -> Generator[tuple[Memory, Path]]:
    """Open a memory with a document that is a file and that people complain of."""
    path = folder / name
    path.write_bytes(data)
    with open_memory(folder, model=ScriptedEditor(), evolution=settings) as memory:
        document = memory.add(path).documents[0].document
        memory.add_text(NEWS, source="news.md", media_type=MediaType.MARKDOWN)
        for number in range(10):
            memory.recall(f"how long do refunds take in case {number}?", record=True, principal=f"p{number}")
        complain(memory, document)
        yield memory, path


def test_a_job_reads_its_file_again_before_it_begins(tmp_path: Path) -> None:
    with of_file(tmp_path, TEXT.encode()) as (memory, path):
        path.write_text(ELSEWHERE, encoding="utf-8")
        (job,) = memory.evolve()
        assert job.documents[0].base_version == 2
        memory.evolution.approve(job.id)
        assert text_of(memory, str(path)) == ELSEWHERE.replace(OLD, NEW)
        assert memory.add(path).documents[0].outcome is AddOutcome.UNCHANGED


def test_a_job_leaves_a_file_alone_that_is_gone(tmp_path: Path) -> None:
    with of_file(tmp_path, TEXT.encode()) as (memory, path):
        path.unlink()
        (job,) = memory.evolve()
        assert job.documents[0].base_version == 1


def test_a_job_reads_no_file_that_a_text_is_only_called_after(tmp_path: Path) -> None:
    path = tmp_path / "refunds.md"
    path.write_text("# Refunds\n\nA secret of the machine.\n", encoding="utf-8")
    with open_memory(tmp_path, model=ScriptedEditor()) as memory:
        complain(memory, memory.add_text(TEXT, source=path.resolve().as_posix(), media_type=MediaType.MARKDOWN))
        memory.evolve()
        assert text_of(memory, path.resolve().as_posix()) == TEXT


ENCODINGS = [
    (b"", "utf-8", "\n"),
    (b"\xef\xbb\xbf", "utf-8", "\r\n"),
    (b"\xff\xfe", "utf-16-le", "\r\n"),
    (b"\xfe\xff", "utf-16-be", "\n"),
]


@pytest.mark.parametrize(("mark", "encoding", "end"), ENCODINGS)
def test_what_was_approved_goes_back_to_its_file_byte_for_byte(
    tmp_path: Path, mark: bytes, encoding: str, end: str
) -> None:
    data = mark + TEXT.replace("\n", end).encode(encoding)
    with of_file(tmp_path, data) as (memory, path):
        path.chmod(0o640)
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        done = memory.evolution.write(str(path))
        assert (done.is_written, done.reason) == (True, "")
        assert path.read_bytes() == mark + BETTER.replace("\n", end).encode(encoding)
        assert path.stat().st_mode & 0o777 == 0o640
        assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
        generation = memory.evolution.generations(str(path))[0]
        assert generation.standing is GenerationStanding.IN_SOURCE
        assert memory.add(path).documents[0].outcome is AddOutcome.UNCHANGED
        assert not memory.evolution.write(str(path)).is_written, "it says so already"


GUIDES = [
    ("cp932", "# 返金\n\n返金は七日かかります。\n\n## 窓口\n\n窓口は東京の本社にあります。電話してください。\n"),
    (
        "gb18030",
        "# 退款\n\n退款需要七个工作日,请您耐心等待我们的处理结果。\n\n## 联系\n\n请在工作时间联系客服中心的人员。\n",
    ),
]


@pytest.mark.parametrize(("encoding", "text"), GUIDES)
def test_encodings_of_the_east_are_kept(tmp_path: Path, encoding: str, text: str) -> None:
    path = tmp_path / "guide.md"
    path.write_bytes(text.encode(encoding))
    reader = FileReader()
    original = reader.original(path)
    new = text + "\n## 追加\n\n" + text.splitlines()[2] + "\n"
    reader.write(path, reader.encoded(original, new), instead_of=original)
    assert path.read_bytes() == new.encode(encoding)
    with pytest.raises(InvalidValue, match=r"convert it to UTF-8"):
        reader.encoded(reader.original(path), new + "\U0001f600" if encoding == "cp932" else new + "\ud800")


def test_a_file_that_changed_since_it_was_read_is_not_written(tmp_path: Path) -> None:
    with of_file(tmp_path, TEXT.encode()) as (memory, path):
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        path.write_text(ELSEWHERE, encoding="utf-8")
        with pytest.raises(InvalidValue, match="add it again first"):
            memory.evolution.write(str(path))
        assert path.read_text(encoding="utf-8") == ELSEWHERE
        memory.add(path)
        assert memory.evolution.write(str(path)).is_written
        assert path.read_text(encoding="utf-8") == ELSEWHERE.replace(OLD, NEW)


def test_a_file_that_changes_at_the_last_moment_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "refunds.md"
    path.write_text(TEXT, encoding="utf-8")
    reader = FileReader()
    original = reader.original(path)
    path.write_text(ELSEWHERE, encoding="utf-8")
    with pytest.raises(InvalidValue, match="at this moment"):
        reader.write(path, b"x", instead_of=original)
    assert [one.name for one in tmp_path.iterdir()] == ["refunds.md"]
    assert path.read_text(encoding="utf-8") == ELSEWHERE


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")
@pytest.mark.parametrize(("mark", "encoding", "end"), ENCODINGS[:2])
@pytest.mark.parametrize("last", ["", "\n"])
def test_git_takes_the_patch(tmp_path: Path, mark: bytes, encoding: str, end: str, last: str) -> None:
    data = mark + (TEXT.rstrip("\n") + last).replace("\n", end).encode(encoding)
    folder = tmp_path / "a repository"
    folder.mkdir()
    with of_file(folder, data, name="Geld zurück.md") as (memory, path):
        subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
        (job,) = memory.evolve()
        text = (BETTER.rstrip("\n") + "\n\n## New\n\nx" + last).replace("\n", end)
        memory.evolution.approve(job.id, text=text)
        done = memory.evolution.write(str(path), patch=True)
        assert (done.is_written, path.read_bytes()) == (False, data)
        (folder / "one.patch").write_bytes(done.patch.encode(done.encoding))
        subprocess.run(["git", "apply", "one.patch"], cwd=folder, check=True)
        assert path.read_bytes() == mark + text.encode(encoding)
        done = memory.add(path).documents[0]
        assert {one.standing for one in done.promotions} == {Standing.IN_SOURCE}


def test_of_utf_16_there_is_no_patch(tmp_path: Path) -> None:
    with of_file(tmp_path, b"\xff\xfe" + TEXT.encode("utf-16-le")) as (memory, path):
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        with pytest.raises(InvalidValue, match="git takes no patch"):
            memory.evolution.write(str(path), patch=True)


def test_html_cannot_be_written_back_and_can_be_written_elsewhere(tmp_path: Path) -> None:
    page = "<html><body><h1>Refunds</h1><p>Refunds take 7 business days.</p></body></html>"
    path = tmp_path / "refunds.html"
    path.write_text(page, encoding="utf-8")
    with open_memory(tmp_path) as memory:
        memory.add(path)
        with pytest.raises(UnreadableSource, match="is HTML"):
            memory.evolution.write(str(path))
        done = memory.evolution.write(str(path), to=tmp_path / "refunds.md")
        assert done.is_written
        assert (tmp_path / "refunds.md").read_text(encoding="utf-8") == text_of(memory, path.resolve().as_posix())
        with pytest.raises(InvalidValue, match="is there already"):
            memory.evolution.write(str(path), to=tmp_path / "refunds.md")
        with pytest.raises(StoreUnwritable):
            memory.evolution.write(str(path), to=tmp_path / "nowhere" / "refunds.md")
        with pytest.raises(InvalidValue, match="own file"):
            memory.evolution.write(str(path), to=tmp_path / "other.md", patch=True)


def test_what_is_no_file_can_only_be_written_to_one(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        with pytest.raises(InvalidValue, match="no file that is there"):
            memory.evolution.write("refunds.md")
        assert memory.evolution.write("refunds.md", to=tmp_path / "new.md").is_written


def test_where_the_file_may_not_be_written_the_patch_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **given: object) -> None:
        del args, given
        raise StoreUnwritable("refunds.md may not be written.")

    with of_file(tmp_path, TEXT.encode()) as (memory, path):
        (job,) = memory.evolve()
        memory.evolution.approve(job.id)
        monkeypatch.setattr(FileReader, "write", refuse)
        done = memory.evolution.write(str(path))
        assert (done.is_written, done.reason) == (False, "refunds.md may not be written.")
        assert f"+{NEW}" in done.patch
        assert path.read_text(encoding="utf-8") == TEXT


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_setting_writes_back_what_is_approved(tmp_path: Path, *, is_changed: bool) -> None:
    with of_file(tmp_path, TEXT.encode(), settings=EvolutionSettings(write_back=True)) as (memory, path):
        (job,) = memory.evolve()
        if is_changed:
            path.write_text(ELSEWHERE, encoding="utf-8")
        done = memory.evolution.approve(job.id)
        assert done.job.state is JobState.PROMOTED
        assert [one.is_written for one in done.written] == [not is_changed]
        assert path.read_text(encoding="utf-8") == (ELSEWHERE if is_changed else BETTER)
        assert ("add it again first" in done.written[0].reason) is is_changed


def test_control_by_default_nothing_is_written_back(tmp_path: Path) -> None:
    with of_file(tmp_path, TEXT.encode()) as (memory, path):
        (job,) = memory.evolve()
        assert memory.evolution.approve(job.id).written == ()
        assert path.read_text(encoding="utf-8") == TEXT


def test_it_is_awaited_too(tmp_path: Path) -> None:
    with promoted(tmp_path) as (memory, _):
        awaited = AsyncMemory(memory)
        assert asyncio.run(awaited.evolution.write("refunds.md", to=tmp_path / "new.md")).is_written
        id_ = waits(memory)
        assert NEW in asyncio.run(awaited.review.conflict(id_)).promoted
        assert asyncio.run(awaited.review.settle_promotion(id_, keep="source")).document.version == 3
