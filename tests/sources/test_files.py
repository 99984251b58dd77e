from __future__ import annotations

import os
import socket
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import pytest

from evolore.domain.document import MediaType
from evolore.errors import InvalidSetting, InvalidValue, UnreadableSource
from evolore.ports import PathFilter
from evolore.sources.files import FileReader, ReaderSettings, takes
from evolore.sources.formats import ENDINGS

if TYPE_CHECKING:
    from evolore.ports import SourceReader

READER: SourceReader = FileReader()
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\x00\x00"


def write(path: Path, content: str | bytes = "words\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def names(found: tuple[Path, ...], folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in found]


def refusal(path: Path, reader: SourceReader = READER) -> str:
    with pytest.raises(UnreadableSource) as caught:
        reader.read(path)
    message = str(caught.value)
    assert str(path) in message
    assert ": " in message  # what is wrong, then what to do
    return message


def forbid(path: Path) -> None:
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("this user may read everything")


# Finding


def test_a_folder_gives_its_files_sorted_and_deep(tmp_path: Path) -> None:
    for name in ("b.md", "a/z.txt", "a/b/c.html", "a.rst"):
        write(tmp_path / name)
    assert names(READER.find([tmp_path]), tmp_path) == ["a.rst", "a/b/c.html", "a/z.txt", "b.md"]


@pytest.mark.parametrize("ending", sorted(ENDINGS))
def test_every_listed_ending_is_taken_in_either_case(ending: str, tmp_path: Path) -> None:
    write(tmp_path / f"one{ending}")
    write(tmp_path / f"two{ending.upper()}")
    assert len(READER.find([tmp_path])) == 2


@pytest.mark.parametrize(
    "name",
    [
        ".git/a.md",
        ".venv/lib/a.txt",
        "node_modules/x/readme.md",
        "a/__pycache__/b.txt",
        ".hidden.md",
        "photo.png",
        "data.csv",
    ],
)
def test_what_is_no_document_is_passed_over_in_folders(name: str, tmp_path: Path) -> None:
    write(tmp_path / name)
    write(tmp_path / "kept.md")
    assert names(READER.find([tmp_path]), tmp_path) == ["kept.md"]


def test_what_is_passed_over_is_counted_by_reason(tmp_path: Path) -> None:
    for name in (
        *("kept.md", "a/kept.txt", "a.odg", "a/B.ODG", "photo.png", "LICENSE", ".hidden.md", ".env"),
        *(".git/config", ".git/a.md", "node_modules/x/readme.md", "a/drafts/one.md"),
    ):
        write(tmp_path / name)
    (tmp_path / "again").symlink_to(tmp_path / "a")
    found = READER.left_out([tmp_path, tmp_path / "a", tmp_path / "a.odg"], where=PathFilter(exclude=("drafts",)))
    assert [(one.reason.value, one.name, one.count) for one in found] == [
        ("hidden", "", 2),
        ("kind", ".odg", 2),
        ("hidden_folder", ".git", 1),
        ("kind", "", 1),
        ("kind", ".png", 1),
        ("linked_folder", "again", 1),
        ("pattern", "", 1),
        ("skipped_folder", "node_modules", 1),
    ]
    assert READER.left_out([tmp_path / "kept.md", tmp_path / "a.odg"]) == ()


@pytest.mark.parametrize("name", [".hidden.md", "data.csv", "LICENSE"])
def test_a_file_named_itself_is_taken(name: str, tmp_path: Path) -> None:
    file = write(tmp_path / name)
    assert READER.find([file]) == (file,)


@pytest.mark.parametrize("folder", [".notes", "node_modules"])
def test_a_folder_named_itself_is_walked(folder: str, tmp_path: Path) -> None:
    write(tmp_path / folder / "a.md")
    assert names(READER.find([tmp_path / folder]), tmp_path) == [f"{folder}/a.md"]


def test_a_file_named_in_several_ways_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "docs" / "a.md")
    monkeypatch.chdir(tmp_path)
    assert READER.find([file, tmp_path, Path("docs"), Path("docs/../docs/a.md")]) == (file,)


def test_the_order_of_the_paths_does_not_matter(tmp_path: Path) -> None:
    paths = [write(tmp_path / name) for name in ("a.md", "b.md", "c.md")]
    assert READER.find(paths) == READER.find(paths[::-1]) == tuple(paths)


def test_an_empty_folder_gives_nothing(tmp_path: Path) -> None:
    assert READER.find([tmp_path]) == ()
    assert READER.find([]) == ()


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"no\.md' does not exist: check the path"):
        READER.find([write(tmp_path / "a.md"), tmp_path / "no.md"])


def test_a_loop_of_folders_ends(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md")
    (tmp_path / "docs" / "again").symlink_to(tmp_path / "docs")
    assert names(READER.find([tmp_path]), tmp_path) == ["docs/a.md"]


def test_a_linked_folder_named_itself_is_walked(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "a.md")
    (tmp_path / "latest").symlink_to(tmp_path / "docs")
    assert names(READER.find([tmp_path / "latest"]), tmp_path) == ["latest/a.md"]
    assert READER.read(tmp_path / "latest" / "a.md").source == (tmp_path / "docs" / "a.md").as_posix()


def test_a_link_and_its_file_are_one_document(tmp_path: Path) -> None:
    file = write(tmp_path / "m.md")
    for name in ("a.md", "z.md"):
        (tmp_path / name).symlink_to(file)
    assert READER.find([tmp_path]) == (file,)


def test_a_broken_link_is_listed_so_that_reading_says_why(tmp_path: Path) -> None:
    link = tmp_path / "gone.md"
    link.symlink_to(tmp_path / "nowhere.md")
    assert READER.find([tmp_path]) == (link,)
    assert "link to something that does not exist" in refusal(link)


def test_a_link_to_itself_is_listed_so_that_reading_says_why(tmp_path: Path) -> None:
    link = tmp_path / "self.md"
    link.symlink_to(link)
    assert READER.find([tmp_path]) == (link,)
    assert "cannot be read" in refusal(link)


# Reading


def test_markdown_is_given_as_it_is(tmp_path: Path) -> None:
    text = "# Title\r\n\r\nwords\r\n"
    read = READER.read(write(tmp_path / "a.md", text))
    assert (read.text, read.media_type, read.title, read.encoding) == (text, MediaType.MARKDOWN, "", "utf-8")
    assert read.source == (tmp_path / "a.md").as_posix()


@pytest.mark.parametrize(
    ("front", "title"),
    [
        ("---\ntitle: Our tea\n---\n", "Our tea"),
        ("---\r\nlang: en\r\ntitle: Our tea\r\n---\r\n", "Our tea"),
        ('---\ntitle: "Tea: a guide" # draft\n---\n', "Tea: a guide"),
        ("---\ntitle: 'お茶の手引き'\n...\n", "お茶の手引き"),
        ('+++\ntitle = "Our tea"\n+++\n', "Our tea"),
        ("---\nsubtitle: no\n---\n", ""),
        ("---\ntitle:\n---\n", ""),
        ("title: no\n", ""),
        ("---\n\ntitle: a rule, not front matter", ""),
    ],
)
def test_front_matter_may_give_the_title_and_stays_in_the_text(front: str, title: str, tmp_path: Path) -> None:
    read = READER.read(write(tmp_path / "a.md", f"{front}\n# Heading\n"))
    assert read.title == title
    assert read.text == f"{front}\n# Heading\n"


def test_plain_text_is_plain(tmp_path: Path) -> None:
    for name in ("a.txt", "b.log", "LICENSE", "c.conf"):
        read = READER.read(write(tmp_path / name, "---\ntitle: no\n---\n"))
        assert (read.media_type, read.title) == (MediaType.PLAIN, "")


@pytest.mark.parametrize("name", ["a.html", "b.HTM", "c.xhtml"])
def test_html_becomes_markdown(name: str, tmp_path: Path) -> None:
    read = READER.read(write(tmp_path / name, "<title>Tea</title><h1>Tea</h1><p>Boil water."))
    assert (read.text, read.media_type, read.title) == ("# Tea\n\nBoil water.\n", MediaType.MARKDOWN, "Tea")


def test_the_encoding_a_page_states_is_honoured(tmp_path: Path) -> None:
    html = '<meta charset="Shift_JIS"><title>茶</title><p>茶'
    read = READER.read(write(tmp_path / "a.html", html.encode("cp932")))
    assert (read.text, read.title, read.encoding) == ("茶\n", "茶", "cp932")


def test_what_a_page_states_is_not_honoured_in_plain_text(tmp_path: Path) -> None:
    refusal(write(tmp_path / "a.txt", '<meta charset="Shift_JIS">茶'.encode("cp932")))


def test_a_legacy_file_says_what_it_was_read_from(tmp_path: Path) -> None:
    read = READER.read(write(tmp_path / "a.txt", "会議は水曜日です。\r\n".encode("cp932")))
    assert (read.text, read.encoding) == ("会議は水曜日です。\r\n", "cp932")


def test_reading_twice_gives_the_same(tmp_path: Path) -> None:
    file = write(tmp_path / "a.html", "<ol><li>a<li>b</ol>" * 3)
    assert READER.read(file) == READER.read(file)


def test_one_very_long_line_is_read(tmp_path: Path) -> None:
    assert len(READER.read(write(tmp_path / "a.txt", "word " * 1_000_000)).text) == 5_000_000


# Refusing


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    assert "does not exist" in refusal(tmp_path / "no.md")


def test_a_folder_is_not_read_as_a_file(tmp_path: Path) -> None:
    assert "is a folder, not a file" in refusal(tmp_path)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert "is empty" in refusal(write(tmp_path / "a.md", ""))
    assert "is empty" in refusal(write(tmp_path / "b.md", "\n \n"))


def test_a_pdf_is_refused_by_name_whatever_its_ending(tmp_path: Path) -> None:
    assert "looks like a PDF" in refusal(write(tmp_path / "a.md", b"%PDF-1.7\n"))
    assert "looks like a PDF" in refusal(write(tmp_path / "a.log", b"%PDF-1.7\n"))


def test_a_nul_byte_is_refused_with_its_place(tmp_path: Path) -> None:
    assert "offset 500" in refusal(write(tmp_path / "a.txt", b"word " * 100 + b"\x00" + b"more "))


def test_a_file_at_the_limit_is_read_and_one_above_refused(tmp_path: Path) -> None:
    reader = FileReader(ReaderSettings(max_bytes=1_000))
    assert reader.read(write(tmp_path / "a.txt", "a" * 1_000)).text
    message = refusal(write(tmp_path / "b.txt", "a" * 1_001), reader)
    assert "larger than 1,000 bytes" in message
    assert "max_bytes" in message


def test_a_limit_below_one_byte_is_refused() -> None:
    with pytest.raises(InvalidSetting, match="max_bytes is 0"):
        ReaderSettings(max_bytes=0)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are Unix's")
def test_a_named_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert READER.find([tmp_path]) == (tmp_path / "pipe.md",)
    assert "is a named pipe, not a file" in refusal(tmp_path / "pipe.md")


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="named sockets are Unix's")
def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path may be only about 100 bytes long
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("s.md")
        assert "is a socket, not a file" in refusal(tmp_path / "s.md")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device here")
def test_a_device_is_refused_without_waiting() -> None:
    assert "is a device, not a file" in refusal(Path("/dev/zero"))


def test_a_file_without_permission_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "a.md")
    forbid(file)
    assert "permission denied" in refusal(file)


def test_a_folder_without_permission_is_listed_so_that_reading_says_why(tmp_path: Path) -> None:
    write(tmp_path / "open" / "a.md")
    closed = write(tmp_path / "closed" / "b.md").parent
    forbid(closed)
    try:
        assert names(READER.find([tmp_path]), tmp_path) == ["closed", "open/a.md"]
        assert str(closed) in refusal(closed)
    finally:
        closed.chmod(0o700)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names themselves")
def test_a_file_whose_name_is_no_utf_8_is_refused_with_a_printable_name(tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.md"))
    write(path)
    with pytest.raises(UnreadableSource, match="is not UTF-8: rename the file") as caught:
        READER.read(READER.find([tmp_path])[0])
    assert str(caught.value).encode()


def test_a_link_that_leads_out_of_the_folder_is_passed_over_and_listed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("s")
    docs = tmp_path / "docs"
    docs.mkdir()
    inside, link = docs / "a.md", docs / "b.md"
    inside.write_text("a")
    link.symlink_to(secret)
    (docs / "c.md").symlink_to("../docs/a.md")
    assert READER.find([docs]) == (inside,)
    assert READER.outside([docs]) == (link,)
    for where in (PathFilter(follow_links=True), PathFilter(follow_links=True, include=("*.md",))):
        assert READER.find([docs], where=where) == (inside, link)
        assert READER.outside([docs], where=where) == ()
    assert READER.outside([docs], where=PathFilter(exclude=("b.md",))) == ()


def test_a_link_to_what_was_named_as_well_leads_nowhere_else(tmp_path: Path) -> None:
    docs, others = tmp_path / "docs", tmp_path / "others"
    for folder in (docs, others):
        folder.mkdir()
        (folder / "a.md").write_text("a")
    (docs / "b.md").symlink_to(others / "a.md")
    assert READER.outside([docs, others]) == ()
    assert READER.outside([docs, others / "a.md"]) == ()
    assert READER.outside([docs]) == (docs / "b.md",)
    assert READER.find([docs / "b.md"]) == (docs / "b.md",)


@pytest.mark.parametrize(
    ("pattern", "taken", "left"),
    [
        ("*.md", ["a.md", "b/c.md", ".md"], ["a.mdx", "a.md.txt"]),
        ("/*.md", ["a.md"], ["b/a.md"]),
        ("guides/*.md", ["guides/a.md"], ["guides/b/a.md", "old/guides/a.md"]),
        ("guides/**/*.md", ["guides/a.md", "guides/b/c/a.md"], ["a.md"]),
        ("drafts", ["drafts/a.md", "b/drafts/c/d.md", "drafts"], ["draft/a.md", "drafts2/a.md"]),
        ("drafts/", ["drafts/a.md", "b/drafts/a.md"], ["draft.md"]),
        ("./b/**", ["b/a.md", "b/c/d.md"], ["c/a.md"]),
        ("chapter-?.md", ["chapter-1.md", "x/chapter-é.md"], ["chapter-10.md", "chapter-/.md"]),
        ("[ab]*.md", ["a.md", "bc.md"], ["c.md"]),
        ("[!a]*.md", ["b.md"], ["a.md"]),
        ("[0-9].md", ["7.md"], ["a.md", "-.md"]),
        ("a+(b).md", ["a+(b).md"], ["aab.md"]),
        ("[", ["["], ["a"]),
        ("日本*", ["日本語.md", "x/日本/a.md"], ["中国.md"]),
        ("README.MD", ["README.MD"], ["readme.md"]),
    ],
)
def test_a_pattern_takes_what_it_says(pattern: str, taken: list[str], left: list[str]) -> None:
    where = PathFilter(include=(pattern,))
    assert [path for path in taken if not takes(where, PurePosixPath(path))] == []
    assert [path for path in left if takes(where, PurePosixPath(path))] == []
    without = PathFilter(exclude=(pattern,))
    assert not any(takes(without, PurePosixPath(path)) for path in taken)
    assert all(takes(without, PurePosixPath(path)) for path in left)


def test_what_is_left_out_is_left_out_though_it_is_included() -> None:
    where = PathFilter(include=("*.md", "*.txt"), exclude=("old",))
    assert [path for path in ("a.md", "b.txt", "c.html", "old/a.md") if takes(where, PurePosixPath(path))] == [
        "a.md",
        "b.txt",
    ]


def test_a_blank_pattern_is_refused() -> None:
    with pytest.raises(InvalidValue, match="pattern is blank"):
        PathFilter(exclude=(" ",))


@pytest.mark.parametrize(
    ("name", "data", "way"),
    [
        ("a.doc", OLD_OFFICE, "soffice --headless --convert-to docx "),
        ("a.XLS", OLD_OFFICE, "soffice --headless --convert-to xlsx "),
        ("a.ppt", OLD_OFFICE, "soffice --headless --convert-to pptx "),
        ("a.rtf", rb"{\rtf1 Tea}", "soffice --headless --convert-to docx "),
        ("a.msg", OLD_OFFICE, "saving it as .eml in the mail program"),
        (
            "a.ods",
            b"PK\x03\x04 application/vnd.oasis.opendocument.spreadsheet",
            "soffice --headless --convert-to xlsx ",
        ),
    ],
)
def test_an_old_office_file_names_what_converts_it(tmp_path: Path, name: str, data: bytes, way: str) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UnreadableSource) as caught:
        FileReader().read(path)
    told = str(caught.value)
    assert f"{path.suffix.lower()} file, which is not read: convert it first, by {way}" in told
    assert ("soffice" not in way) == (f"'{path}'" not in told.partition("convert")[2])


def test_a_text_that_is_called_doc_is_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.doc"
    path.write_text("Tea is hot.\n", encoding="utf-8")
    assert FileReader().read(path).text == "Tea is hot.\n"
