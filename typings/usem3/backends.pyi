from typing import Any

class NumpyBackend:
    sp: object
    threads: int
    table: Any
    _threadpool: object
