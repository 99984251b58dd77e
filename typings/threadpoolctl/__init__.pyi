from contextlib import AbstractContextManager
from typing import TypedDict

class _Pool(TypedDict):
    user_api: str
    num_threads: int

def threadpool_info() -> list[_Pool]: ...
def threadpool_limits(limits: int) -> AbstractContextManager[object]: ...
