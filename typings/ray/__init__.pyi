from . import data as data

def is_initialized() -> bool: ...
def init(
    *,
    log_to_driver: bool = ...,
    logging_level: str = ...,
    num_cpus: int | None = ...,
    include_dashboard: bool | None = ...,
) -> object: ...
def shutdown() -> None: ...
