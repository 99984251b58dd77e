"""Words that are written with a capital and name nothing by themselves."""

from __future__ import annotations

_FUNCTION_WORDS = """
a about according across after again against all along also although among an and another any are around as at because
been before being below between both but by can could despite did do does during each early even every few finally
following for from furthermore had has have he hello her here hers hey hi him his how however i i'd i'll i'm i've if in
including initially inside instead into is it it's its itself just last later let like many may maybe me might more
moreover most much must my near nevertheless next no nor not now of off oh ok okay on once one only or other others our
over perhaps please recently several shall she should similarly since so some soon still such sure than thanks that
that's the their them then there there's therefore these they this those though through throughout thus to today together
too toward towards two under unlike until up upon us very was we well were what what's when where whereas whether which
while who whom whose why will with within without would wow yeah yes yet you your yours
three four five six seven eight nine ten first second third
january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
"""
NO_NAMES = frozenset(_FUNCTION_WORDS.split())
"""English function words, months and weekdays, in lower case: at the ends of a name they are left out."""
