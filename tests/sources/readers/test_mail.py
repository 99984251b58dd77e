from __future__ import annotations

from base64 import encodebytes
from email.message import EmailMessage, Message
from typing import TYPE_CHECKING

import pytest

from evolore.sources.files import text_of
from growth import assert_in_proportion

if TYPE_CHECKING:
    from evolore.ports import SourceText

WORDS = "Die Führung beginnt am Samstag um zehn Uhr vor dem alten Zollhaus, bei Regen im Saal."
MORE = "Wer nicht kommen kann, ruft bis Freitag den Kustos an, damit die Karten an andere gehen, die warten."
STUBS = (
    "",
    "  \n\n",
    "Your mail program does not show HTML.",
    "View this mail in your browser: https://example.org/a",
    "This message has to be read with a program that is able to show formatted text.",
)


def read(mail: Message | bytes) -> SourceText:
    data = mail if isinstance(mail, bytes) else mail.as_bytes()
    return text_of(data, source="a.eml", name="'a.eml'", suffix=".eml")


def written(plain: str, page: str = "") -> EmailMessage:
    mail = EmailMessage()
    mail["Subject"], mail["From"] = "Tour", "Uta <uta@example.org>"
    mail.set_content(plain)
    if page:
        mail.add_alternative(page, subtype="html")
    return mail


def raw(body: bytes, content_type: str = "") -> bytes:
    kind = f"Content-Type: {content_type}\nContent-Transfer-Encoding: 8bit\n" if content_type else ""
    return f"Subject: a\n{kind}\n".encode() + body


def in_jis(text: str) -> bytes:
    """Write ISO-2022-JP as mailers of Windows do: with its signs."""
    pairs = b""
    for lead, trail in (one.encode("cp932") for one in text):
        row = (lead - (0x81 if lead < 0xA0 else 0xC1)) * 2 + (trail >= 0x9F)
        pairs += bytes((row + 0x21, trail - (0x7E if trail >= 0x9F else 0x20 if trail >= 0x80 else 0x1F)))
    return b"\x1b$B" + pairs + b"\x1b(B"


@pytest.mark.parametrize("stub", STUBS)
def test_html_is_read_where_the_plain_part_says_nothing_of_it(stub: str) -> None:
    text = read(written(stub, f"<p>{WORDS}</p><p>Tickets at the <a href='https://example.org'>door</a>.</p>")).text
    assert WORDS in text
    assert "Tickets at the" in text


@pytest.mark.parametrize(
    "page", [f"<p>{WORDS}</p>", f"<div>{WORDS}</div>", f"<p>{WORDS}</p><img src='a.png'>", "<p> </p>"]
)
def test_the_plain_part_stands_for_html_only_where_that_shows_nothing(page: str) -> None:
    assert read(written(WORDS, page)).text.endswith(f"\n\n{WORDS}\n")


@pytest.mark.parametrize("place", ["inline", "attachment"])
def test_text_behind_a_picture_is_read(place: str) -> None:
    mail = written("Before the picture.")
    mail.add_attachment(b"\x89PNG", maintype="image", subtype="png", filename="map.png", disposition=place)
    mail.add_attachment("Behind it.", disposition="inline")
    found = read(mail)
    assert found.text.endswith("Before the picture.\n\nBehind it.\n\nAttachments: map.png\n")
    assert found.notes == ("Attachments were left out: map.png.",)


def test_html_in_parts_around_pictures_is_read() -> None:
    mail = EmailMessage()
    mail["Subject"] = "Tour"
    mail.set_content("<p>One.</p>", subtype="html")
    mail.make_mixed()
    mail.attach(written("<p>Two.</p>"))
    for page in ("<p>Two.</p>", "<p>Three.</p>"):
        part = EmailMessage()
        part.set_content(page, subtype="html")
        mail.attach(part)
    assert "One." in read(mail).text
    assert read(mail).text.index("Two.") < read(mail).text.index("Three.")


@pytest.mark.parametrize("sign", ["", "①", "㈱", "髙"])
@pytest.mark.parametrize("kind", ["", "text/plain", "text/plain; charset=iso-2022-jp", "text/plain; charset=utf-8"])
def test_japanese_is_read_also_without_its_charset_and_with_signs_of_windows(sign: str, kind: str) -> None:
    words = f"会議の場所{sign}を変更します"
    assert read(raw(in_jis(words), kind)).text == f"# a\n\n{words}\n"


@pytest.mark.parametrize("outside", [b"\xa0", "é".encode(), b"\xff"])
def test_a_character_outside_does_not_spoil_japanese(outside: bytes) -> None:
    assert "会議の場所を変更します" in read(raw(in_jis("会議の場所を変更します。") + outside)).text


@pytest.mark.parametrize("stated", ["iso-8859-1", "us-ascii", "latin1", "windows-1252", "unknown-8bit", "x-nothing"])
def test_quotes_of_windows_are_read_whatever_latin_is_stated(stated: str) -> None:
    body = "“garden wall” isn’t paid: €1,250 – soon…"
    assert body in read(raw(body.encode("cp1252"), f"text/plain; charset={stated}")).text


@pytest.mark.parametrize(("codec", "stated"), [("utf-7", "utf-7"), ("hz", "hz-gb-2312"), ("iso2022_kr", "iso-2022-kr")])
def test_encodings_that_look_like_ascii_are_read_as_they_state(codec: str, stated: str) -> None:
    words = "회의는 세 시" if codec == "iso2022_kr" else "下午三点开会"
    assert words in read(raw(words.encode(codec), f"text/plain; charset={stated}")).text


def test_what_no_encoding_has_costs_its_own_place_only() -> None:
    found = read(raw(b"The tour begins at ten.\n\x81\x8d\xff\x00\nBring a coat.\n", "text/plain; charset=utf-8"))
    assert "begins at ten." in found.text
    assert "Bring a coat." in found.text


@pytest.mark.parametrize(
    "subject",
    [
        "会議の場所".encode(),
        in_jis("会議の場所"),
        b"=?iso-2022-jp?B?GyRCMnE1RCROPmw9ahsoQg==?=",
        b"=?utf-8?B?5Lya6K2w44Gu5aA=?= =?utf-8?B?tOaJgA==?=",  # a character parted between two words
    ],
)
def test_subjects_are_decoded_as_bodies_are(subject: bytes) -> None:
    assert read(b"Subject: " + subject + b"\nFrom: a@example.org\n\nWords\n").title == "会議の場所"


CALENDAR = """BEGIN:VCALENDAR
BEGIN:VTIMEZONE
DTSTART:19700101T000000
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY;LANGUAGE=en:Boiler
  inspection
LOCATION:Plant room\\, east wing
{time}
DESCRIPTION:Please unlock the cellar door.\\nBring a lamp.
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
END:VCALENDAR
"""


@pytest.mark.parametrize(
    ("time", "begins"),
    [
        ("DTSTART:20250121T093000Z", "2025-01-21 09:30 UTC"),
        ("DTSTART;VALUE=DATE:20250121", "2025-01-21"),
        ('DTSTART;TZID="GMT+09:00":20250121T093000', "2025-01-21 09:30 (GMT+09:00)"),
    ],
)
def test_a_meeting_states_its_subject_time_and_place(time: str, begins: str) -> None:
    text = read(raw(CALENDAR.format(time=time).encode(), "text/calendar; charset=utf-8")).text
    assert f"Subject: Boiler inspection\nBegins: {begins}\nPlace: Plant room, east wing\n" in text
    assert text.endswith("Description: Please unlock the cellar door.\nBring a lamp.\n")


def test_a_meeting_beside_words_is_read_once() -> None:
    mail = written("Please come.")
    calendar = CALENDAR.format(time="DTSTART:20250121T093000Z")
    mail.add_alternative(calendar, subtype="calendar")
    mail.add_attachment(calendar, subtype="calendar", filename="invite.ics")
    text = read(mail).text
    assert text.count("Place: Plant room, east wing") == 1
    assert "Please come." in text


@pytest.mark.parametrize("is_encoded", [False, True])
def test_a_forwarded_mail_is_a_section_of_its_own(*, is_encoded: bool) -> None:
    mail = written("See below.")
    mail.add_attachment(written("Water drips."))
    data = mail.as_bytes()
    if is_encoded:  # as GroupWise does, against the rules
        part = Message()
        part["Content-Type"], part["Content-Transfer-Encoding"] = "message/rfc822", "base64"
        head, inner = data.split(b"Content-Type: message/rfc822")
        body = inner.partition(b"\n\n")[2]
        mail_in_base64 = encodebytes(body.rpartition(b"\n--")[0])
        data = (
            head
            + b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
            + mail_in_base64
            + b"\n--"
            + body.rpartition(b"\n--")[2]
        )
    assert read(data).text.endswith("See below.\n\n## Tour\n\nFrom: Uta <uta@example.org>\n\nWater drips.\n")


@pytest.mark.parametrize(
    ("plain", "page", "note"),
    [
        (
            "The gate code is 4711 until Friday noon.\n\nBye.\n",
            f"<p>{WORDS * 3}</p>",
            "“The gate code is 4711 until Friday noon”",
        ),
        (f"{WORDS} {MORE}", f"<p>{WORDS}</p>", f"“{MORE.rstrip('.')}”"),
        ("门的密码是四七一一，到周五中午为止。\n", f"<p>{WORDS * 3}</p>", "“门的密码是四七一一，到周五中午为止”"),
    ],
)
def test_what_only_the_other_version_of_a_mail_says_is_told(plain: str, page: str, note: str) -> None:
    [told] = read(written(plain, page)).notes
    assert told == f"Sentences that only one version of the mail holds, plain text or HTML, were left out: {note}."


def test_versions_that_say_the_same_leave_nothing_out() -> None:
    wrapped = "\n".join(WORDS[at : at + 60] for at in range(0, len(WORDS), 60))
    plain = f"{WORDS}\n\n* Tickets at the door: https://example.org/tickets\n"
    page = f"<p>{WORDS.replace(' ', '  ')}</p><ul><li><b>Tickets</b> at the <a href='https://example.org/tickets'>door</a></li></ul>"
    assert read(written(plain, page)).notes == ()
    assert read(written(wrapped, f"<p>{WORDS}</p>")).notes == ()


@pytest.mark.parametrize("unit", ["Tea is hot. ", "茶は熱い。", "a\n", "| a ", "https:", "word", "."])
def test_comparing_the_versions_of_a_mail_takes_time_in_proportion(unit: str) -> None:
    def run(times: int) -> None:
        plain = "".join(f"{unit}{number}" for number in range(times))
        read(written(plain, f"<p>{plain[::-1] if times % 2 else plain}</p><p>{WORDS}</p>"))

    assert_in_proportion(run, 2_000)
