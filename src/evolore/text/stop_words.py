"""Words that say how something is said rather than what about, in three languages."""

from __future__ import annotations

_ENGLISH_QUERY_WORDS = """
a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
to was will with i you he she we me my your his her our do did does have has had what when where who how why
which whom whose am been being were would could should can s t
"""
ENGLISH_QUERY_WORDS = tuple(_ENGLISH_QUERY_WORDS.split())
"""What a question asks with; matched after stemming, and only where something else is left to ask for."""

_JAPANESE_QUERY_PIECES = """
です ます まし した して する たの のは すか たか でし れた され った てい いる ある こと から なに 何 何で は何 を何 何と
誰 は誰 誰で いつ どこ どの どん どち ちら はど なの るの るか はい いた いて いう とい なっ って には では とは であ もの れて
れる られ とし によ にお
"""
JAPANESE_QUERY_PIECES = tuple(_JAPANESE_QUERY_PIECES.split())
"""Pieces of particles, endings and interrogatives, as the analyser cuts them."""

_CHINESE_QUERY_PIECES = """
的 了 是 在 和 与 吗 呢 吧 啊 么 什 什么 是什 了什 有什 在什 于什 为什 么时 么地 哪 哪里 哪个 哪些 是哪 在哪 于哪 哪一 谁 是谁
多少 少 几 怎么 怎样 样 个 位 些 里 为 被 于 有 这 那 我 你 他 她 它 们
"""
CHINESE_QUERY_PIECES = tuple(_CHINESE_QUERY_PIECES.split())
"""Particles, measure words, pronouns and interrogatives, as the analyser cuts them."""

_LIGHT_WORDS = """
all am any back because both came come coming each ever every everything few from get gets getting give given go goes going gone got
how's i'd i'll i'm i've just keep kind know less let like look lot made make many may maybe might more most much must need never
now off one only other out over own pick please put quite really said same say see should since so some someone something
still stuff take tell than that's them thing think those through too took try up us use used usually want way well went which
while without yet you're
一个 一下 一些 这个 那个 我们 他们 你们 自己 没有 不是 可以 时候 因为 如果 但是 所以 现在 已经 应该 觉得 知道 什么时 时间
"""
LIGHT_WORDS = tuple(_LIGHT_WORDS.split())
"""Words that go with any subject: that a text shares one with a question says little of either."""

_ENGLISH_FUNCTION_WORDS = """
a about above after again against all also am an and any are as at be because been before being below between
both but by can could did do does doing down during each few for from further had has have having he her here
hers herself him himself his how i if in into is it its itself just me more most my myself no nor not now of off
on once only or other our ours ourselves out over own same she should so some such than that the their theirs
them themselves then there these they this those through to too under until up very was we were what when where
which while who whom why will with would you your yours yourself yourselves may might must shall upon one two us
said say new first many much made make like even well back still way
"""
ENGLISH_FUNCTION_WORDS = frozenset(_ENGLISH_FUNCTION_WORDS.split())
"""Words that any topic uses: counting them would hide where the topic changes."""
