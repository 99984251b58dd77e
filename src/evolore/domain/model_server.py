"""Settings of model servers behind an OpenAI-compatible address: how they are reached, and what one that embeds is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import blake2b

from evolore.domain.checks import check_above_zero, check_count, check_least
from evolore.domain.query import checked_namespaces
from evolore.errors import InvalidValue

_ADDRESS = re.compile(r"https?://[^\s/@?#]+(/[^\s?#]*)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OPENAI_KEY = "OPENAI_API_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """Where a model is served, and how long its server may take.

    Raises:
        InvalidValue: A value outside its range or of another form.
    """

    model: str = ""  #: The model's name as its server knows it; empty for none.
    #: The server's address with its path, such as `http://127.0.0.1:11434/v1`; empty for OpenAI's own.
    base_url: str = ""
    #: The name of the environment variable that holds the key; never the key itself. Empty for `OPENAI_API_KEY` with
    #: OpenAI's own address, and for no key with any other.
    api_key_env: str = ""
    #: How long to wait for a connection, for the reply to begin, and for all of it to arrive, each; above 0.
    timeout_seconds: float = 60.0

    def __post_init__(self) -> None:
        if self.model != self.model.strip():
            raise InvalidValue(f"model is {self.model!r}: leave out the spaces around it.")
        if self.base_url and not _ADDRESS.fullmatch(self.base_url):
            raise InvalidValue(
                "base_url is not an address of the form http://host:port/path, without a user, a password or a query: "
                "a key belongs in the environment variable that api_key_env names."
            )
        if self.api_key_env and not _VARIABLE.fullmatch(self.api_key_env):
            raise InvalidValue("api_key_env is not the name of an environment variable: write the name, never the key.")
        check_above_zero(timeout_seconds=self.timeout_seconds)

    @property
    def key_variable(self) -> str:
        """Return the name of the environment variable that holds the key; empty for none."""
        return self.api_key_env or ("" if self.base_url else _OPENAI_KEY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxySettings(ModelServer):
    """Where `evolore serve` passes the chat calls of OpenAI-compatible clients on to, with what is remembered.

    Raises:
        InvalidValue: A value outside its range or of another form.
    """

    #: The only model that is asked; empty for the one that a request names.
    model: str = ""
    #: The address with its path that calls are passed on to, such as `https://api.openai.com/v1`; empty passes none on.
    base_url: str = ""
    #: How long to wait for a connection, and for each next part of a reply; above 0. A whole reply may take ten times as long.
    timeout_seconds: float = 60.0
    also: tuple[str, ...] = ()  #: Further namespaces that are read, by keys that may enter them.
    replies: bool = True  #: Whether what the model says is remembered too.

    def __post_init__(self) -> None:
        ModelServer.__post_init__(self)
        checked_namespaces(self.also)


_MOST_DIMENSIONS = 65_536


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingServer(ModelServer):
    """Where an embedding model is served, and what it is sent.

    Raises:
        InvalidValue: A value outside its range or of another form.
    """

    model: str = ""  #: The model's name as its server knows it; needed where `embedder` is `openai`.
    #: The length of its vectors, 0 to 65,536. With 0 the server is asked, in one call each time a memory is opened;
    #: with the number, opening one makes no call.
    dimension: int = 0
    #: Whether `dimension` is sent, to get vectors of that length; for models that can shorten their vectors, such as
    #: OpenAI's, and only with a `dimension`.
    sends_dimension: bool = False
    batch: int = 64  #: How many texts one call holds at most, at least 1. Long texts make it fewer.
    concurrency: int = 4  #: How many calls run at once at most; at least 1.
    #: How often a call that fails because of the server is made at most, the first time included; at least 1.
    tries: int = 3
    #: How much of a text is sent, at least 100; the rest does not count for its vector. Lower it for a model that reads
    #: less and refuses what is longer.
    most_characters: int = 6000
    query_prefix: str = ""  #: What is put before a question, such as `query: `; a space at its end counts.
    passage_prefix: str = ""  #: What is put before what is kept, such as `passage: `.

    def __post_init__(self) -> None:
        ModelServer.__post_init__(self)
        for name in ("batch", "concurrency", "tries"):
            check_count(getattr(self, name), name)
        if not 0 <= self.dimension <= _MOST_DIMENSIONS:
            raise InvalidValue(f"dimension is {self.dimension}: use 0 to {_MOST_DIMENSIONS}.")
        if self.sends_dimension and not self.dimension:
            raise InvalidValue("sends_dimension is true and dimension is 0: set the dimension to ask for.")
        check_least(_LEAST_CHARACTERS, most_characters=self.most_characters)

    def model_id(self, dimension: int) -> str:
        """Return the name a store knows the vectors by: the model's, their length, and a digest of the prefixes, if any.

        >>> EmbeddingServer(model="nomic-embed-text").model_id(768)
        'nomic-embed-text/768'
        >>> EmbeddingServer(model="e5", query_prefix="query: ", passage_prefix="passage: ").model_id(384)
        'e5/384/2f0cb2f2'
        """
        prefixes = (self.query_prefix, self.passage_prefix)
        digest = blake2b("\0".join(prefixes).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return f"{self.model}/{dimension}" + (f"/{digest}" if any(prefixes) else "")


_LEAST_CHARACTERS = 100
