from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evolore import config
from evolore.domain.chat import ChatSettings
from evolore.errors import ChatKeyMissing, InvalidSetting
from evolore.memory import Memory
from evolore.models.offline import HashingEmbedder


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("EVOLORE_CONFIG", str(path))
    return path


def test_without_a_file_everything_has_its_default() -> None:
    settings = config.load()
    assert settings.namespace == "default"
    assert Path(settings.store).name == "memory.evolore"
    assert settings == config.Settings()


def test_the_environment_goes_before_the_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('namespace = "from file"\n[chunking]\nmax_size = 800\n[decay]\nrate = 0.5\n', "utf-8")
    assert config.load().namespace == "from file"
    assert config.load().chunking.max_size == 800
    assert config.load().decay.rate == 0.5
    monkeypatch.setenv("EVOLORE_NAMESPACE", "from environment")
    monkeypatch.setenv("EVOLORE_CHUNKING__MAX_SIZE", "900")
    assert config.load().namespace == "from environment"
    assert config.load().chunking.max_size == 900


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("[chunking]\nmax_size = -3\n", r"The setting chunking\.max_size is -3: \w+ at least 20\. Change it"),
        (
            "[chunking]\nmin_size = 900\nmax_size = 800\n",
            r"chunking\.min_size is 900: min_size is 900, target_size 400, max_size 800: ",
        ),
        ('[maintenance]\nschedule = "nightly"\n', r"maintenance\.schedule is 'nightly': write five fields of cron"),
        ('[maintenance]\nschedule = "61 3 * * *"\n', r"maintenance\.schedule is '61 3 \* \* \*': write five"),
        ('[maintenance]\nschedule = "0 3 31 2 *"\n', r"maintenance\.schedule is '0 3 31 2 \*': write five"),
        ('namespace = ""\n', r"The setting namespace is '': \w+ at least one visible character\. Change it"),
        ("target_size = 3\n", r"there is no such setting; perhaps you mean chunking\.target_size\. Change it"),
        ("[intent]\nfactual = [0.5, 0.5]\n", r"intent\.factual is \[0\.5, 0\.5\]: give 3 numbers\. Change it"),
        ("[intent]\nfactual = 0.5\n", r"intent\.factual is 0\.5: write a list in brackets\. Change it"),
        ('[decay]\nrate = "much"\n', "decay.rate"),
        ("colour = 3\n", r"colour is 3: there is no such setting\. Change it"),
        (
            "[chunking]\nwindow_size = 100\n",
            r"window_size is 100: the setting is tiers\.window_characters here\. Change it",
        ),
        ("[chunking]\noverlap = 20\n", r"overlap is 20: it has no effect, since chunks do not overlap"),
        ("[chunking]\ncolour = 3\n", r"chunking\.colour is 3: there is no such setting\. Change it"),
        ("tiers = 3\n", r"tiers is 3: it is a table of settings, not one value\. Change it"),
        ("this is no toml", "not readable as TOML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(file: Path, written: str, named: str) -> None:
    file.write_text(written, encoding="utf-8")
    with pytest.raises(InvalidSetting, match=named) as caught:
        config.load()
    assert str(file) in str(caught.value)


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("EVOLORE_CHUNKING__MAX_SIZE", "-3", "in the environment variable EVOLORE_CHUNKING__MAX_SIZE."),
        ("EVOLORE_MAINTENANCE__SCHEDULE", "nightly", "in the environment variable EVOLORE_MAINTENANCE__SCHEDULE."),
        ("EVOLORE_EMBEDDER", "foo", "in the environment variable EVOLORE_EMBEDDER."),
        ("EVOLORE_CHUNKING", "abc", "EVOLORE_CHUNKING is no table in JSON: set EVOLORE_CHUNKING__ and the name"),
    ],
)
def test_a_wrong_variable_is_named_without_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, said: str
) -> None:
    file.write_text("[chunking]\nmin_size = 20\n", "utf-8")
    monkeypatch.setenv(variable, value)
    with pytest.raises(InvalidSetting) as caught:
        config.load()
    assert said in str(caught.value)
    assert str(file) not in str(caught.value)


def test_a_wrong_table_of_a_variable_names_both_places(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text("[chunking]\nmax_size = -3\n", "utf-8")
    monkeypatch.setenv("EVOLORE_CHUNKING", '{"min_size": 0}')
    with pytest.raises(InvalidSetting) as caught:
        config.load()
    assert f"Change it in EVOLORE_CHUNKING or {file}." in str(caught.value)


def test_without_what_reads_cron_lines_a_schedule_is_taken(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[maintenance]\nschedule = "nightly"\n', "utf-8")
    monkeypatch.setitem(sys.modules, "cronsim", None)
    assert config.load().maintenance.schedule == "nightly"


def test_an_empty_schedule_of_maintenance_is_taken(file: Path) -> None:
    file.write_text('[maintenance]\nschedule = ""\n', "utf-8")
    assert not config.load().maintenance.schedule


def test_a_memory_takes_its_store_and_namespace_from_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "here"))
    monkeypatch.setenv("EVOLORE_NAMESPACE", "mine")
    with Memory.open(embedder=HashingEmbedder()) as memory:
        memory.remember("x")
        assert memory.namespace == "mine"
    assert (tmp_path / "here" / "evolore.db").is_file()


KEY = "sk-very-secret-0123456789"


@pytest.mark.parametrize(
    "written",
    [
        f'[chat]\napi_key = "{KEY}"\n',
        f'[chat]\napi_key_env = "{KEY}"\n',
        f'[chat]\nbase_url = "https://me:{KEY}@example.org/v1"\n',
        f'[chat]\nbase_url = "https://example.org/v1?key={KEY}"\n',
    ],
)
def test_a_key_that_was_written_into_the_file_is_refused_and_not_repeated(file: Path, written: str) -> None:
    file.write_text(written, encoding="utf-8")
    with pytest.raises(InvalidSetting, match="chat") as caught:
        config.load()
    assert KEY not in str(caught.value)
    assert KEY not in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("timeout_seconds = 0", "timeout_seconds"),
        ("concurrency = 0", "concurrency"),
        ('structured_output = "xml"', "structured_output"),
        ("day_cost = -1.0", "day_cost"),
        ("job_calls = -1", "-1 calls"),
        ("prompt_price = -0.5", "prompt_per_million"),
        ("tries = 0", "tries"),
        ("kept_replies = -1", "kept_replies"),
        ('model = " gpt"', "model"),
        ('base_url = "localhost:11434"', "base_url"),
    ],
)
def test_settings_of_the_chat_model_are_checked(file: Path, written: str, named: str) -> None:
    file.write_text(f"[chat]\n{written}\n", encoding="utf-8")
    with pytest.raises(InvalidSetting, match=named):
        config.load()


def test_settings_of_the_chat_model_are_read_with_its_prices_as_data(file: Path) -> None:
    written = 'model = "m"\nday_cost = 1.5\nday_calls = 7\nreply_price = 2.5\nstructured_output = "none"\n'
    file.write_text(f"[chat]\n{written}", encoding="utf-8")
    chat = config.load().chat
    assert (chat.day.calls, chat.day.tokens, chat.day.cost_micros) == (7, None, 1_500_000)
    assert (chat.prices.reply_per_million, chat.structured_output.value) == (2.5, "none")
    assert not chat.job.is_limited


@pytest.mark.parametrize("key", ["", "  ", "two words", "schlüssel"])
def test_a_key_is_read_from_the_variable_that_is_named_and_a_missing_one_is_said(
    monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv("TEAM_KEY", key)
    with pytest.raises(ChatKeyMissing, match="TEAM_KEY") as caught:
        config.chat_key(ChatSettings(model="m", api_key_env="TEAM_KEY"))
    assert "words" not in str(caught.value)
    monkeypatch.setenv("TEAM_KEY", f" {KEY}\n")
    assert config.chat_key(ChatSettings(model="m", api_key_env="TEAM_KEY")) == KEY
    assert config.chat_key(ChatSettings(model="m", base_url="http://127.0.0.1:1/v1")) is None


def test_lists_in_tables_are_read_from_the_environment_as_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_INTENT__EMOTIONAL", "[0.1, 0.2, 0.7]")
    monkeypatch.setenv("EVOLORE_EVOLUTION__CANARY__STAGES", "[10, 100]")
    monkeypatch.setenv("EVOLORE_NAMESPACE", "[1]")
    read = config.load()
    assert read.intent.emotional == (0.1, 0.2, 0.7)
    assert read.evolution.canary.stages == (10, 100)
    assert read.namespace == "[1]"


@pytest.mark.parametrize("given", ["[0.1, 0.2", "0.1, 0.2, 0.7", "[]"])
def test_what_is_no_list_is_refused_with_its_name(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("EVOLORE_INTENT__EMOTIONAL", given)
    with pytest.raises(InvalidSetting, match=r"intent\.emotional"):
        config.load()


@pytest.fixture
def without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a service is run whose user has none."""

    def refuse(*_args: object, **_named: object) -> Path:
        raise RuntimeError("could not determine the home directory")

    monkeypatch.setattr(config, "user_config_path", refuse)
    monkeypatch.setattr(config, "user_data_path", refuse)


@pytest.mark.usefixtures("without_a_home")
def test_without_a_home_folder_a_store_that_is_named_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLORE_STORE", str(tmp_path / "store"))
    assert config.load().store == str(tmp_path / "store")
    monkeypatch.setenv("EVOLORE_RECALL__LIMIT", "-1")
    with pytest.raises(InvalidSetting, match="in the environment variable EVOLORE_RECALL__LIMIT"):
        config.load()


@pytest.mark.usefixtures("without_a_home")
def test_without_a_home_folder_and_a_name_it_is_said_how_to_name_one() -> None:
    with pytest.raises(InvalidSetting, match="EVOLORE_STORE="):
        config.load()
