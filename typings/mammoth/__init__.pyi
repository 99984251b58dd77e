from typing import IO

from mammoth import images as images

class Result:
    value: str

def convert_to_html(file: IO[bytes], *, style_map: str = ..., convert_image: object = ...) -> Result: ...
