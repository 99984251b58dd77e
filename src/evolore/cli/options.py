"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

MetaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--meta",
        metavar="NAME=VALUE",
        help="Metadata to file it under: a text, a number, true or false. May be repeated.",
    ),
]
TagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag to file it under. May be repeated.")
]
NoMetaOption = Annotated[bool, typer.Option("--no-meta", help="Take away all metadata it was filed under.")]
NoTagsOption = Annotated[bool, typer.Option("--no-tags", help="Take away all tags it was filed under.")]
WhereOption = Annotated[
    list[str] | None,
    typer.Option("--where", metavar="NAME=VALUE", help="Only what has this metadata. May be repeated."),
]
WithTagOption = Annotated[
    list[str] | None, typer.Option("--tag", metavar="TAG", help="Only what has this tag. May be repeated.")
]
SinceOption = Annotated[
    str | None, typer.Option(help="Only what happened, or else was recorded, then or later. UTC without a zone.")
]
UntilOption = Annotated[
    str | None, typer.Option(help="Only what happened, or else was recorded, before then. UTC without a zone.")
]
QuestionArgument = Annotated[str, typer.Argument(help="What you want to know; `-` reads it from standard input.")]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        help="The moment to ask from: what came later is not seen. UTC without a zone; by default now, in the zone "
        "of this machine."
    ),
]
OfSessionOption = Annotated[str | None, typer.Option("--session", help="Only statements of this conversation.")]
OfSpeakerOption = Annotated[str | None, typer.Option("--speaker", help="Only statements of this speaker.")]
OfSourceOption = Annotated[
    str | None, typer.Option("--source", help="Only passages of this document, or of the documents in this folder.")
]
BelowOption = Annotated[
    str | None,
    typer.Option(
        "--path",
        help="Only passages at or below this outline code of --source, such as 1.2, or below these headings, such as "
        '"Handbook > Going live".',
    ),
]
DepthOption = Annotated[
    int | None, typer.Option("--depth", help="Prefer passages this deep in their outlines, from 1 for the top.")
]
AskedByOption = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="On whose behalf it is asked; kept where it is taken down.")
]
ByOption = Annotated[
    str | None, typer.Option("--by", metavar="NAME", help="On whose behalf; it is kept in the events.")
]
EpisodeArgument = Annotated[
    str, typer.Argument(metavar="EPISODE", help="A statement's or passage's id, or its beginning.")
]
DocumentArgument = Annotated[
    str,
    typer.Argument(metavar="DOCUMENT", help="A document: its id, the beginning of it, its source, or its file's path."),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Overwrite the file.")]
