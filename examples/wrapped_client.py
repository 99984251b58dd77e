"""Give OpenAI's client a memory; the model is a function here, so that no network is needed.

``evolore.wrap`` takes ``AsyncOpenAI``, ``Anthropic``, ``AsyncAnthropic`` and ``litellm.completion`` as well.
"""

import json
import tempfile

from httpx2 import Client, MockTransport, Request, Response
from openai import OpenAI

import evolore


def model(request: Request) -> Response:
    """Answer with what a system message holds of the memory."""
    read = [one["content"] for one in json.loads(request.content)["messages"] if one["role"] == "system"]
    said = read[-1].rpartition("<memory>")[2].removesuffix("</memory>").strip() if read else "(nothing)"
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    return Response(200, json={"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]})


bare = OpenAI(api_key="none", http_client=Client(transport=MockTransport(model)))
with evolore.Memory.open(tempfile.mkdtemp(), namespace="mika") as memory:
    for said in ("My daughter Yui is allergic to walnuts.", "What is Yui allergic to?"):
        client = evolore.wrap(bare, memory, user="Mika")
        reply = client.chat.completions.create(model="m", messages=[{"role": "user", "content": said}])
        print(reply.choices[0].message.content)
