"""Options that several commands have."""

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
