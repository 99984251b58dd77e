"""How a chat model is reached, and what it may cost."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import StrEnum

from evolore.domain.chat_costs import ChatPrices
from evolore.domain.chat_retries import RetrySettings
from evolore.domain.chats import ChatBudget
from evolore.domain.checks import check_count
from evolore.errors import InvalidValue

_MICROS = 1_000_000
_ADDRESS = re.compile(r"https?://[^\s/@?#]+(/[^\s?#]*)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LEAST_REPLY = 1000


class StructuredOutput(StrEnum):
    """How a server is told the form of a reply."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    NONE = "none"


class TokenLimitName(StrEnum):
    """Under which name a server is told the longest reply."""

    AUTO = "auto"
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSettings:
    """How a chat model behind an OpenAI-compatible address is reached, and what may be spent on it.

    Args:
        model: The model's name as its server knows it; empty for no chat model, and everything works without.
        base_url: The server's address with its path, such as `http://127.0.0.1:11434/v1`; empty for OpenAI's own.
        api_key_env: The name of the environment variable that holds the key; never the key itself. Empty for
            `OPENAI_API_KEY` with OpenAI's own address, and for no key with any other.
        timeout_seconds: How long to wait for a connection, for the reply to begin, and for all of it to arrive, each;
            above 0.
        concurrency: How many calls are under way at once at the most; at least 1.
        most_reply_bytes: The longest answer of the server that is read, in bytes; at least 1000. Reading ends there,
            and the call has failed.
        structured_output: How the server is told the form of a reply: `json_schema`, `json_object` for one that
            knows no schemas, `none` for one that knows neither. Replies are checked in any case.
        prompt_log_probs: Whether its completions endpoint tells log-probabilities of a text it is given (`echo` with
            `logprobs`), as vLLM's does.
        token_limit_name: What the longest reply is called: `max_tokens`, `max_completion_tokens`, or `auto`, which is
            the latter with OpenAI's own address and the former with any other.
        sends_temperature: Whether a temperature is sent; some reasoning models take none.
        tries: How often a request that fails for the server's sake is sent at the most, the first time included; at
            least 1. Each costs a call of the budget. Questions of `recall` are sent once.
        first_wait_seconds: How long to wait before the second try, at least 0; twice as long before each further one,
            and up to half of it less by chance.
        longest_wait_seconds: The longest wait, at least 0; a server that asks for a longer one is not asked again.
        failures_before_pause: After how many failures in a row the server is left alone; at least 1.
        pause_seconds: How long it is left alone before one call tries whether it is back; at least 0.
        prompt_price: What a million tokens that are read cost, in any currency; at least 0.
        reply_price: What a million tokens that are written cost, in the same; at least 0.
        day_calls: How many calls may be made on a day in UTC; none for any number.
        day_tokens: How many tokens may be read and written on a day; none for any number.
        day_cost: How much money may be spent on a day, in the currency of the prices; none for any amount.
        job_calls: Likewise for one job: cutting one document, one `review check`, one `review confirm`, and all
            questions of `recall` of one kind while a memory is open.
        job_tokens: Likewise.
        job_cost: Likewise.
        kept_replies: How many replies are kept in the store, to be given again when the same is asked with the same
            version of a prompt; at least 0. Forgetting anything drops them all.

    Raises:
        InvalidValue: A value outside its range or of another form.
    """

    model: str = ""
    base_url: str = ""
    api_key_env: str = ""
    timeout_seconds: float = 60.0
    concurrency: int = 4
    most_reply_bytes: int = 1_000_000
    structured_output: StructuredOutput = StructuredOutput.JSON_SCHEMA
    prompt_log_probs: bool = False
    token_limit_name: TokenLimitName = TokenLimitName.AUTO
    sends_temperature: bool = True
    tries: int = 3
    first_wait_seconds: float = 1.0
    longest_wait_seconds: float = 30.0
    failures_before_pause: int = 5
    pause_seconds: float = 30.0
    prompt_price: float = 0.0
    reply_price: float = 0.0
    day_calls: int | None = None
    day_tokens: int | None = None
    day_cost: float | None = None
    job_calls: int | None = None
    job_tokens: int | None = None
    job_cost: float | None = None
    kept_replies: int = 0

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
        self._check_numbers()
        self._check_words()

    def _check_numbers(self) -> None:
        check_count(self.concurrency, "concurrency")
        check_count(self.failures_before_pause, "failures_before_pause")
        if not (math.isfinite(self.timeout_seconds) and self.timeout_seconds > 0):
            raise InvalidValue(f"timeout_seconds is {self.timeout_seconds}: give a number above 0.")
        if not (math.isfinite(self.pause_seconds) and self.pause_seconds >= 0):
            raise InvalidValue(f"pause_seconds is {self.pause_seconds}: give a number of at least 0.")
        if self.most_reply_bytes < _LEAST_REPLY:
            raise InvalidValue(f"most_reply_bytes is {self.most_reply_bytes}: give at least {_LEAST_REPLY}.")
        if self.kept_replies < 0:
            raise InvalidValue(f"kept_replies is {self.kept_replies}: give at least 0.")
        # Made for their checks.
        _ = self.retries, self.prices, self.day, self.job

    def _check_words(self) -> None:
        for name, words in (("structured_output", StructuredOutput), ("token_limit_name", TokenLimitName)):
            given: str = getattr(self, name)
            if given not in list(words):
                raise InvalidValue(f"{name} is {given!r}: give one of {', '.join(words)}.")
            object.__setattr__(self, name, words(given))

    @property
    def retries(self) -> RetrySettings:
        """When a call that failed is made again."""
        return RetrySettings(
            tries=self.tries,
            first_wait_seconds=self.first_wait_seconds,
            longest_wait_seconds=self.longest_wait_seconds,
        )

    @property
    def prices(self) -> ChatPrices:
        """What tokens cost."""
        return ChatPrices(prompt_per_million=self.prompt_price, reply_per_million=self.reply_price)

    @property
    def day(self) -> ChatBudget:
        """What one day may cost."""
        return ChatBudget(calls=self.day_calls, tokens=self.day_tokens, cost_micros=_micros(self.day_cost, "day_cost"))

    @property
    def job(self) -> ChatBudget:
        """What one job may cost."""
        return ChatBudget(calls=self.job_calls, tokens=self.job_tokens, cost_micros=_micros(self.job_cost, "job_cost"))

    @property
    def key_variable(self) -> str:
        """Give the name of the environment variable that holds the key; empty for none."""
        return self.api_key_env or ("" if self.base_url else "OPENAI_API_KEY")


def _micros(amount: float | None, name: str) -> int | None:
    """Give an amount in millionths; what is less than one is left off."""
    if amount is None:
        return None
    if not (math.isfinite(amount) and amount >= 0):
        raise InvalidValue(f"{name} is {amount}: give a number of at least 0.")
    return math.floor(round(amount * _MICROS, 3))
