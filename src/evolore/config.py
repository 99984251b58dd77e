"""Settings: each system's own, gathered here, and read from TOML and the environment here only."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import Any, cast

from platformdirs import user_config_path, user_data_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from evolore.answers.settings import AnswerSettings
from evolore.chunking.settings import ChunkSettings, TierSettings
from evolore.domain.chat import ChatSettings
from evolore.domain.checks import check_name
from evolore.domain.model_server import EmbeddingServer, ModelServer, ProxySettings
from evolore.domain.secret import SecretsPolicy
from evolore.episodes.settings import EpisodeSettings, IntegrationSettings, MaintenanceSettings, RetentionSettings
from evolore.errors import ChatKeyMissing, InvalidSetting
from evolore.evolution.settings import EvolutionSettings
from evolore.queries.settings import QuerySettings
from evolore.recall.settings import DecaySettings, IntentSettings, RecallSettings, RerankSettings

DEFAULT_NAMESPACE = "default"


class EmbedderName(StrEnum):
    """An embedder that a setting can name."""

    USE = "use"
    E5 = "e5"
    USE_AND_E5 = "use+e5"
    OPENAI = "openai"
    MODEL2VEC = "model2vec"


def default_store() -> Path:
    """Return the store used when none is named: a folder in the user's data directory.

    Raises:
        InvalidSetting: The user has no home folder, as services often have none.
    """
    try:
        return user_data_path("evolore", appauthor=False) / "memory.evolore"
    except RuntimeError as error:
        raise InvalidSetting(
            "There is no home folder to keep a store in: say where it is, such as EVOLORE_STORE=/var/lib/evolore/store."
        ) from error


def config_file() -> Path | None:
    """Return the file settings are read from: ``EVOLORE_CONFIG``, else ``config.toml`` in the user's settings folder.

    None where none is named and the user has no home folder.

    Raises:
        InvalidSetting: ``EVOLORE_CONFIG`` names no file.
    """
    named = os.environ.get("EVOLORE_CONFIG")
    if not named:
        try:
            return user_config_path("evolore", appauthor=False) / "config.toml"
        except RuntimeError:
            return None
    if not Path(named).is_file():
        raise InvalidSetting(f"EVOLORE_CONFIG names {named}, which is no file: correct it, or unset it.")
    return Path(named)


class _Environment(EnvSettingsSource):
    """The environment, with the lists of tables read as JSON."""

    def __call__(self) -> dict[str, Any]:
        """Return what the environment says of each setting."""
        said = cast("dict[str, object]", super().__call__())
        return {name: _lists_read(value) if _is_table(value) else value for name, value in said.items()}


def _is_table(value: object) -> bool:
    return isinstance(value, dict)


def _lists_read(value: object) -> object:
    """Read each list in a table; what is none stays as it is, to be refused where a list is wanted."""
    if isinstance(value, dict):
        table = cast("dict[str, object]", value)
        return {name: _lists_read(one) for name, one in table.items()}
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


class Settings(BaseSettings):
    """Every setting, with its default.

    Taken from, first found wins: what is given in code, ``EVOLORE_…`` in the environment (nested with two
    underscores, as in ``EVOLORE_CHUNKING__MAX_SIZE``), the settings file.

    Attributes:
        store: The store's folder, or a PostgreSQL database as ``postgresql://user@host/database``.
        namespace: The namespace a memory is bound to.
        read_only: Whether nothing is written to the store. One whose folder cannot be written is read so in any case.
        embedder: What turns texts into vectors: ``use``; ``e5``, which the extra of that name installs; ``use+e5``, both
            side by side; ``openai``, the model behind an address that ``embedding`` names; or ``model2vec``, the static one
            in the folder of that name.
        embedding: How an embedding model behind an OpenAI-compatible address is reached, and what it is sent.
        model2vec: The folder of a model that Model2Vec saved; None for none.
        chunking: How documents are cut.
        chat: How a chat model is reached, and what may be spent on it; none by default.
        tokenizer: The `tokenizer.json` that counts tokens where `chunking.size_unit` is `tokens`.
        tiers: How stretches in which nothing is found to cut at are cut all the same.
        southern: Whether seasons in questions are those of the southern hemisphere.
        intent: What similarity, arousal and time weigh, by what a question is after.
        reranker: The folder of an ONNX cross-encoder that judges the first hits again, if any. ``rerank`` may name one
            behind an address instead.
        entailment: The folder of an ONNX classifier of pairs that is asked about what the gates of evolution doubt, and by
            ``maintain`` where documents contradict each other; None for none.
        rerank: How many hits a reranker judges, how much that counts, and where one is served.
        decay: What time does to the order of hits.
        recall: The place of hits that another has superseded.
        score_log: A file to which every question adds a line of JSON: its id, what it is taken to be after, and rank, score and
            terms of each hit, never a text; None for none.
        episodes: When an episode is split.
        integration: When what is remembered becomes one with what is known.
        maintenance: What `maintain` does by itself.
        retention: What `maintain` erases because it is over; nothing by default.
        queries: What questions leave behind, and what recall learns from it.
        evolution: When documents are rewritten, and what a rewrite has to prove.
        answer: What answers are made from, and how long they may be.
        proxy: Where `evolore serve` passes chat calls on to; nowhere by default.
        secrets: What becomes of a key, password, token or card number in what is remembered or added: ``keep``, ``redact`` or
            ``refuse``. Its kind and place are reported in any case.
        index_memory_bytes: What the indexes of all open namespaces may take, in bytes, at least 0; those not used for
            longest are let go of, the one in use never.
        namespace_memory_bytes: What the indexes of one namespace may take, in bytes, above 0; a larger one is refused
            before it is read in. By default four fifths of the memory of the machine, or of the container.
        max_leaves_at_once: How many new leaves of a document are written in one transaction at most, at least 1;
            a document of more is written in several and becomes visible whole with the last.
        max_file_bytes: The largest file that is read, in bytes, at least 1; a file is held in memory whole.
    """

    model_config = SettingsConfigDict(
        env_prefix="EVOLORE_",
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        hide_input_in_errors=True,  # a key that was written into the file must not come back in a traceback
        frozen=True,
        arbitrary_types_allowed=True,
    )

    store: str = Field(default_factory=lambda: str(default_store()))
    namespace: str = DEFAULT_NAMESPACE
    read_only: bool = False
    embedder: EmbedderName = EmbedderName.USE
    embedding: EmbeddingServer = Field(default_factory=EmbeddingServer)
    model2vec: Path | None = None
    chunking: ChunkSettings = Field(default_factory=ChunkSettings)
    chat: ChatSettings = Field(default_factory=ChatSettings)
    tokenizer: Path | None = None
    tiers: TierSettings = Field(default_factory=TierSettings)
    southern: bool = False
    intent: IntentSettings = Field(default_factory=IntentSettings)
    reranker: Path | None = None
    entailment: Path | None = None
    rerank: RerankSettings = Field(default_factory=RerankSettings)
    decay: DecaySettings = Field(default_factory=DecaySettings)
    recall: RecallSettings = Field(default_factory=RecallSettings)
    score_log: Path | None = None
    episodes: EpisodeSettings = Field(default_factory=EpisodeSettings)
    integration: IntegrationSettings = Field(default_factory=IntegrationSettings)
    maintenance: MaintenanceSettings = Field(default_factory=MaintenanceSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    queries: QuerySettings = Field(default_factory=QuerySettings)
    evolution: EvolutionSettings = Field(default_factory=EvolutionSettings)
    answer: AnswerSettings = Field(default_factory=AnswerSettings)
    proxy: ProxySettings = Field(default_factory=ProxySettings)
    secrets: SecretsPolicy = SecretsPolicy.KEEP
    index_memory_bytes: int = Field(default=1_000_000_000, ge=0)
    namespace_memory_bytes: int | None = Field(default=None, gt=0)
    max_leaves_at_once: int = Field(default=1000, ge=1)
    max_file_bytes: int = Field(default=200_000_000, ge=1)

    @field_validator("store", mode="before")
    @classmethod
    def _place(cls, value: object) -> object:
        """Return a path as its name, and reject an address that is not a database's."""
        if isinstance(value, str) and "://" in value and not value.startswith(("postgresql://", "postgres://")):
            raise ValueError("it is an address, and a store is a folder on this machine or postgresql://…")
        return str(value) if isinstance(value, PurePath) else value

    @field_validator("namespace", "maintenance")
    @classmethod
    def _checked(cls, value: str | MaintenanceSettings) -> str | MaintenanceSettings:
        if isinstance(value, str):
            check_name(value, "namespace")
        elif value.schedule and find_spec("cronsim"):  # of the extra that serves
            from cronsim import CronSim, CronSimError  # noqa: PLC0415 - likewise

            try:
                next(CronSim(value.schedule, datetime(2026, 1, 1, tzinfo=UTC)))
            except (CronSimError, StopIteration):
                wanted = "five fields of cron, such as '0 3 * * *' for 3 o'clock UTC, or an empty text for never"
                raise ValueError(f"schedule is {value.schedule!r}: write {wanted}") from None
        return value

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Order the sources: code, environment, file."""
        del env_settings, dotenv_settings, file_secret_settings
        return (
            init_settings,
            _Environment(settings_cls),
            TomlConfigSettingsSource(settings_cls, toml_file=config_file()),
        )


def load() -> Settings:
    """Read the settings.

    Raises:
        InvalidSetting: The file or a variable holds something that is no setting, or out of range.
    """
    try:
        return Settings()
    except ValidationError as error:
        name, value, reason = _fault(error)
        raise InvalidSetting(
            f"The setting {name} is {_shown(name, value)}: {reason}. Change it in {_origin(name)}."
        ) from error
    except SettingsError as error:
        variable = "EVOLORE_" + str(error).split('"')[1].upper()
        raise InvalidSetting(f"{variable} is no table in JSON: set {variable}__ and the name of a setting.") from error
    except InvalidSetting:
        raise
    except OSError as error:
        raise InvalidSetting(f"{config_file()} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise InvalidSetting(f"{config_file()} is not readable as TOML: {error}.") from error


def _fault(error: ValidationError) -> tuple[str, object, str]:
    """Return the first wrong setting, its value, and what is wrong with it."""
    first, last = error.errors()[0], error.errors()[-1]["loc"][-1]
    name, kind = ".".join(map(str, first["loc"])) or "settings", first["type"]
    if kind == "missing" and isinstance(last, int):  # a list that is too short
        return name.rpartition(".")[0], first["input"], f"give {last + 1} numbers"
    reason = REFUSED.get(name) or _reason(kind, first["msg"])
    tables = {one: getattr(of.annotation, "__dataclass_fields__", ()) for one, of in Settings.model_fields.items()}
    if kind == "extra_forbidden" and (found := [f"{one}.{name}" for one in tables if name in tables[one]]):
        reason += f"; perhaps you mean {' or '.join(found)}"
    value, one = cast("object", first.get("input")), reason.partition(" is ")[0]
    if isinstance(value, dict) and one in value:  # a table whose values were checked together
        name, value = f"{name}.{one}", cast("dict[str, object]", value)[one]
    for shown in (f"{value!r}", f"{value}", "blank"):
        reason = reason.removeprefix(f"{name.rpartition('.')[2]} is {shown}: ")
    return name, cast("object", value), reason


def _origin(name: str) -> str:
    """Return where a wrong setting was read: its variable, else those of its table and the file."""
    wanted, file = f"EVOLORE_{name.replace('.', '__').upper()}__", config_file()
    names = [one for one in sorted(os.environ) if os.environ[one]]
    given = [one for one in names if wanted.startswith(f"{one.upper()}__") or one.upper().startswith(wanted)]
    if wanted.removesuffix("__") in map(str.upper, given):
        return f"the environment variable {wanted.removesuffix('__')}"
    return " or ".join([*given, *([str(file)] if file and file.is_file() else [])]) or "the settings"


def _shown(name: str, value: object) -> str:
    """Show a wrong value; not where a key or a password may be in it by mistake."""
    table, _, one = name.partition(".")
    may_hold_a_secret = table in _KINDS and (not one or "key" in one or "url" in one)
    return "not shown here, because it may hold a key" if may_hold_a_secret else repr(value)


def chat_key(settings: ChatSettings) -> str | None:
    """Return the chat model's key from the environment variable that the settings name; None where they name none.

    Raises:
        ChatKeyMissing: The variable is not set, or holds what cannot be a key.
    """
    try:
        return server_key(settings, table="chat")
    except InvalidSetting as error:
        raise ChatKeyMissing(str(error)) from None


def server_key(server: ModelServer, *, table: str) -> str | None:
    """Return the key of a model's server from the environment variable that the settings name; None where they name none.

    Args:
        server: The settings.
        table: The name of their table, for messages.

    Raises:
        InvalidSetting: The variable is not set, or holds what cannot be a key.
    """
    variable = server.key_variable
    if not variable:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise InvalidSetting(
            f"The {_KINDS[table]} {server.model!r} needs a key, and {variable} is not set: set that environment variable, "
            f"or name another one in {table}.api_key_env; a server that wants no key needs {table}.base_url alone."
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise InvalidSetting(f"What {variable} holds is no key: it has spaces, or signs that no key has.")
    return key


_KINDS = {"chat": "chat model", "embedding": "embedding model", "rerank": "reranker", "proxy": "model behind the proxy"}
"""The tables that say where a model is served, and what that is."""


REFUSED = {
    "chunking.window_size": "the setting is tiers.window_characters here",
    "chunking.step_size": "it has no effect, since every character is a place to cut; leave it out",
    "chunking.entropy_threshold": "it has no effect, since cuts are priced by code length; leave it out",
    "chunking.size_thresholds": "the settings are chunking.max_size, chunking.target_size and chunking.min_size here",
    "chunking.overlap": "it has no effect, since chunks do not overlap and recall adds context; leave it out",
    "episodes.group_similarity": "it has no effect, since groups follow from calibrated probabilities; leave it out",
    **dict.fromkeys(
        ("intent.default", "intent.default_intent"),
        "it has no effect, since every question gets its likeliest intent with a confidence; leave it out",
    ),
    "queries.low_value_modifier": "it has no effect, since edges of low value stay out of the graph; leave it out",
}
"""Parameters that a source document names, and the setting or the mechanism here."""


def _reason(kind: str, message: str) -> str:
    """Return what pydantic found wrong in words for who writes settings."""
    match kind:
        case "unexpected_keyword_argument" | "extra_forbidden":
            return "there is no such setting"
        case "dataclass_type" | "model_type":
            return "it is a table of settings, not one value"
        case "tuple_type":
            return "write a list in brackets"
        case _:
            return message.removeprefix("Value error, ").removesuffix(".")
