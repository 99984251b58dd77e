"""A memory that a server keeps: the verbs of ``Memory`` over HTTP, and ``connect``, which takes an address or a folder."""

from evolore.client.client import AsyncClient, Client, connect

__all__ = ["AsyncClient", "Client", "connect"]
