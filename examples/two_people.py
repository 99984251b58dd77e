"""Keep what two people say apart, and share what concerns both: a namespace for each person, and one that both read."""

import tempfile

from evolore import Memory

store = tempfile.mkdtemp()
people = {name: Memory.open(store, namespace=name.lower()) for name in ("Mika", "Tom")}
house = Memory.open(store, namespace="house")

people["Mika"].remember("I am allergic to walnuts.", speaker="Mika")
people["Tom"].remember("The surprise party for Mika is on Saturday.", speaker="Tom")
house.remember("The bins go out on Tuesday evening.", speaker="Tom")

for name, memory in people.items():
    for question in ("What is planned on Saturday?", "When do the bins go out?"):
        known, _ = memory.recall(question, tokens=1500, also=["house"]).as_messages()
        print(f"{name}: {question}\n{known['content'].rpartition('<memory>')[2].removesuffix('</memory>').strip()}\n")

for memory in (*people.values(), house):
    memory.close()
