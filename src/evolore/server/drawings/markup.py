"""Markup of drawings, which templates take as it is, and self-contained pages."""

from __future__ import annotations

import base64
import hashlib
import json
from html import escape
from importlib.resources import files

from markdown_it import MarkdownIt
from mdit_py_plugins.front_matter import front_matter_plugin

from evolore.errors import MissingExtra

MARKDOWN = MarkdownIt("commonmark", {"html": False, "xhtmlOut": False}).use(front_matter_plugin)
MARKDOWN.enable("table").disable(["image", "link", "autolink"])
"""Renders Markdown, without its front matter; tags, links and pictures stay as they are written, so that nothing leads or loads from elsewhere."""


class Markup(str):
    """Markup in which every text of others is escaped."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself: templates escape nothing of it."""
        return str(self)


def data_attribute(value: object) -> str:
    """Write a value as JSON for an attribute."""
    return escape(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def page_alone(title: str, body: str, *, language: str = "", script: str = "") -> str:
    """Write a page that a browser opens without a network; its policy allows its own style and script, and nothing else."""
    style, code = _bundled("alone.css"), _bundled(script).replace("</", "<\\/") if script else ""
    policy = f"default-src 'none'; style-src {_hash(style)}; base-uri 'none'; form-action 'none'"
    if code:
        policy += f"; script-src {_hash(code)}"
    named = f' lang="{language}"' if language else ""
    return f"""<!doctype html>
<html lang="en" data-bs-theme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="referrer" content="no-referrer">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1{named}><bdi>{escape(title)}</bdi></h1>
{body}
</main>
{f"<script>{code}</script>" if code else ""}
</body>
</html>
"""


def _bundled(name: str) -> str:
    found = files("evolore.server").joinpath("pages", "assets", name)
    if not found.is_file():
        raise MissingExtra(f"{name} was not bundled: run `make setup` in the clone, or install a wheel.")
    return found.read_text("utf-8").strip()


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode('utf-8')).digest()).decode('ascii')}'"
