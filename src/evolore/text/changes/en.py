"""English wordings of change."""

from __future__ import annotations

from evolore.text.changes import Wordings

_KIN = (
    r"brother|sister|cousin|aunt|uncle|neighbou?r|friend|colleague|co-?worker|classmate|flatmate|roommate|landlord|"
    r"in-laws?|nephew|niece|boss"
)

WORDINGS = Wordings(
    changes=(
        r"\b(?:now|nowadays|these days|instead|no longer|any ?more|from now on|for good|henceforth|going forward|"
        r"as of|effective|starting (?:from|next|this|on|in|with|mon|tue|wed|thu|fri|sat|sun)\w*|"
        r"from (?:this|next|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|today|"
        r"tomorrow|spring|summer|autumn|winter)\w*|"
        r"(?:this|last|next) (?:morning|week|month|year)(?:'s)?|last night(?:'s)?|since (?:the|we|i|last|our|my)|"
        r"chang(?:e|es|ed|ing)|switch(?:ed|ing|es)? (?:to|over|from|back|us|everything|all)|"
        r"(?:have|has|'ve|'s|we|i) switched|swap(?:ped|ping)?|"
        r"replac(?:e|ed|es|ing|ement)|mov(?:e|ed|es|ing) (?:to|over|into|from|out|in|on|it|the|our|us|my|back|house|"
        r"everything|away|up|down|forward)|the move|migrat(?:ed|ion|e|ing)|upgrad(?:ed|e|ing)|downgrad(?:ed|e|ing)|"
        r"updated?|bumped|rewr(?:ite|ote|itten)|renamed|rebranded|relocat(?:ed|ing|e)|shifted|postponed|put off|"
        r"put back|brought forward|reschedul(?:ed|e|ing)|pushed (?:back|to|it)|rais(?:ed|ing)|lower(?:ed|ing)|cut|"
        r"increased?|reduced|doubled|halved|extended to|shortened|went up|gone up|going up|came down|gone down|"
        r"is up to|are up to|down to|went live|gone live|live since|rolled out|took over|tak(?:en|ing|es) over|"
        r"handed (?:over|in|it|the)|retired|resigned|quit|gave up|given up|left (?:the|my|his|her|their|our)|"
        r"(?:is|are|has|have|'s|'ve) gone|gone home|shut (?:its|down|for)|clos(?:ed|es|ing) (?:down|its|for)|"
        r"discontinued|deprecated|archived|scrapped the old|phased out|decommissioned|new(?:er|est|ly)?|latest|"
        r"the old (?:one|ones|way|system|number|address)|got (?:a new|me a|the new|my new)|picked up (?:a|the|my)|"
        r"traded (?:in|it)|sold (?:the|my|our|it)|gave (?:the|my|it|him|her)|lent (?!me)|borrowed|"
        r"bec(?:ome|ame|oming)|turned (?:into|out|vegan|vegetarian|\d+)|married|divorced|engaged|split up|broke up|"
        r"broken up|parted|official|signed (?:with|for|as|up|on)|enrolled|start(?:ed|ing|s)? (?:at|as|with|on|a|an|"
        r"the|work\w*|my|our|using|taking|learning)|first (?:day|week|month|shift|lesson|class) (?:at|in|with|of|on|as|"
        r"done)|joined|transferred|promoted|hired|settled (?:in|into)|unpacked|keys (?:to|for)|"
        r"converted|merged|split into|consolidated|standardi[sz]ed|back to|(?:so|hence|then) (?:it's|we're|i'm|it is|"
        r"we are|it'll be)|will do us|use .{1,30} from|took (?:his|her|my|their) name|"
        r"given way to|makes way for|made way for|in place of|rather than the|not .{1,40}, but|not .{1,20} but|"
        r"turned (?:off|down to|up to)|dropped (?:the|to|from|our|sugar|meat|coffee)|stopped|"
        r"moved|(?:has|have|'s|'ve) left|goes by|took up|adopted|settled on|(?:went|gone|going|go) (?:with|over to|for the|vegan|"
        r"vegetarian|digital|back)|opted for|decided on|chose|picked the|ended up (?:with|in|at)|outgrown|grown out|passed (?:it|the|on)|"
        r"collected (?:the|my|our|his|her)|(?:is|are|was|were) (?:scrapped|dropped|gone|history|over)|on trial|"
        r"on the (?:free|paid|new|family|annual|basic) (?:plan|tariff)|started over|expired|renewed as|is off|are off|was moved|were moved|been (?:moved|put|made|given|renamed))\b"
    ),
    unchanged=(
        r"\b(?:as (?:before|ever|always|usual)|unchanged|(?:the |about the )?same as (?:before|ever|always|last)|"
        r"(?:stay|stays|stayed|staying|remain|remains|remained|keep|keeps|kept) (?:the same|as (?:it|they)|in place|"
        r"put|where|with us|unchanged|on as|valid|in force|its|it as)|still (?:the same|in place|there|valid|stands?|"
        r"holds?|applies|the case|fine|ours|works?|open|on)|(?:was|is|were|are|been) confirmed|confirmed again|"
        r"re-?confirmed|no changes?|nothing (?:has |'s )?(?:changed|new)|(?:hasn't|haven't|didn't|doesn't|won't|"
        r"not|never) chang\w+|like before|like always|for another (?:year|month|term)|continues? (?:as|to|unchanged)|"
        r"works? as|goes on as|same old|prolonged|extended (?:by|for|another)|applies as)\b"
    ),
    dropped=(
        r"\b(?:decided (?:against|not to)|stay(?:ed|ing)? with|stick(?:ing)? with|stuck (?:with|to)|stayed put|"
        r"called (?:it )?off|fell through|fallen through|falls through|turned (?:it|them|him|her|the \w+|that|this)? ?"
        r"down|reject(?:ed|s)|vetoed|declined|refused|overruled|voted down|outvoted|not approved|wasn't approved|"
        r"(?:wasn't|was not|weren't|isn't|not) (?:accepted|adopted|approved|granted|agreed)|came to nothing|"
        r"backed out|pulled out|rolled (?:it )?back|revert(?:ed|ing)|(?:gave|given|giving) up (?:on )?(?:the|that) "
        r"(?:idea|plan)|(?:drop|dropped|shelved|scrapped|abandoned|binned|ditched|buried|cancelled|canceled|let go of)"
        r" (?:the|that|it|those|this|our|my)? ?(?:idea|plan|plans|thought|move|switch|project|proposal|upgrade|again)|"
        r"didn't (?:happen|work out|come off|get (?:through|approved|it|the)|go (?:ahead|through|for it))|"
        r"never (?:happened|materiali[sz]ed|came (?:off|about))|no to (?:it|the|that)|said no|"
        r"(?:but|and) (?:kept|keeping) (?:the|our|my|it))\b"
        r"|\b(?:no thanks|not for us|nobody|no one|hardly any\w*|absolutely not|no way|no chance|never signed|out?voted|lost (?:the vote|\w+ to \w+)|"
        r"withdr[ae]w\w*|abandon\w*|cancel\w*|clos\w+ without|pulled out|hung up|laughed|block(?:ed|s)|veto\w*|ruled out|out of the question|"
        r"(?:wasn't|isn't|aren't|were not|weren't|not) (?:to be|for|possible|allowed|keen|having it)|hated|too (?:big|small|loud|pricey|expensive|dear|late|far|"
        r"much)|got pipped|outbid|no spaces?|dead body|chickened|scared (?:us|me) off|illegal|didn't|said no|tabled)\b"
    ),
    doubtful=(
        r"\b(?:(?:thought|thinking|talked|toyed|talk|think|dreamt|dreamed|wondered|joked|mused) (?:about|of|with)|"
        r"considered|considering|we looked at|looked into|almost|nearly|"
        r"(?:was|were|had been|had) (?:going to|about to|planning|meant to|tempted|set to|hoping)|wanted to|meant to|"
        r"(?:proposed?|proposal|suggest(?:ed|s|ion)?|pitched|floated|offer(?:ed|s)?|wants (?:us|me) to)|"
        r"didn't (?:go|take|like|pass|want|fit|buy|accept|let)|after all|in the end|not worth|"
        r"too (?:dear|expensive|costly|late)|would have|if (?:we|i) (?:ever|had|were|could)|one day|maybe|perhaps|might|"
        r"shelved|kept (?:the|our|my|it|using))\b"
        r"|\b(?:would|could|should we|may|hop(?:e|es|ed|ing) to|wish\w*|dream\w*|fantasi\w+|like to|love to|(?:i|we|he|she|they)'d|wants?|tempted|"
        r"fancied|some ?day|another (?:time|summer|year)|next time|whether|ask(?:ed|s) (?:if|whether|us|me|for)|float(?:s|ed|ing)?|pitch\w*|"
        r"tried|trial|test drove|toured|viewed|applied|demo\w*|quoted|compar\w+|looked at|poll\w*|vot(?:e|es|ed|ing)|petition\w*|rumou?r\w*|"
        r"reckons?|swears? by|recommends?|if)\b"
    ),
    others=(
        rf"\b(?:(?:{_KIN})s?(?:'s?|s')?|next door|someone|somebody|another (?:team|company|department|family|branch)|"
        r"(?:the )?other (?:team|company|department|branch|family|side|office|group)|competitors?|"
        r"(?:a|the|this|that|some) (?:guy|man|woman|bloke|lady|stranger|podcast|article|blog|novel|film|movie|book|"
        r"series|character|advert|ad)|at home|(?:his|her|their) (?:place|house|office|team|firm|company)|"
        r"(?:mum|mom|dad|mother|father|parents?|grand\w+)(?:'s|s'))\b|\b(?:changed|raised|"
        r"lowered|moved|renamed|updated|cut|has|got) (?:its|their)\b"
        r"|\b(?:mum|mom|dad|mother|father|parents?|wife|husband|son|daughter|uncle|aunt|grandma|grandpa|gran|cousin|kids?|the (?:guy|bloke|woman|man))\b"
    ),
    quoted=(
        r"[\"“][^\"“”]{4,}[\"”]|(?:^|\s)'[^']{8,}'|‘[^‘’]{8,}’|\b(?:wrote|writes|claim(?:s|ed) (?:that|to)|reads:|quot\w+|"
        r"rumou?rs?|sang|sings|line in|in the (?:film|movie|book|play|novel|series|song|ad|story|show))\b"
    ),
    mentions=(
        r"\b(?:picked up|bought|saw|seen|washed|cleaned|found|lost|remember to|don't forget|don’t forget|pass(?:ed)? by|"
        r"walked past|photo|picture|poster|leaflet|sticker|sign|looks? (?:nice|good|great)|smell\w*|nice|lovely|"
        r"decent|lent me|brought|asked (?:me )?about|talked about|spoke about|mention\w*|working from|"
        r"drove past|queue|crowded|busy|rain\w*)\b"
    ),
    first=(
        r"\b(?:first(?! (?:aid|name|class|thing|floor))|original(?:ly)?|initial(?:ly)?|at the (?:start|beginning|outset)|"
        r"earliest|to begin with|"
        r"when (?:i|we|he|she|they) (?:first )?(?:joined|started|began|moved in|arrived|met|opened|got here))\b"
    ),
    before=(
        r"\b(?:before|prior to|used to|previous(?:ly)?|former(?:ly)?|earlier|the old|back then|until|till|in the past|"
        r"at the time|at that time|in those days|once (?:was|had|were)|no longer|ex-\w+|"
        r"(?:in|during|back in) (?:19|20)\d\d)\b"
    ),
    past=(
        r"\b(?:did|didn't|was|were|wasn't|weren't|had|happened|went|has .{0,40}ever|have .{0,40}ever|"
        r"(?:has|have) .{1,40}(?:ed|been|done|made|seen|gone|won|met|read)|ago|yesterday|last (?:night|week|month|year|"
        r"summer|winter|spring|autumn|time))\b"
    ),
    present=r"\b(?:now|currently|these days|at the moment|today|nowadays|latest|current|present)\b",
    account=(
        r"\b(?:tell me|what (?:do|can) you (?:know|remember|recall|say)|do you (?:remember|recall|know about)|"
        r"remember (?:when|the|my|our|that)|remind me (?:of|about)|what happened|what was it like|what was .{1,60} like|"
        r"how (?:was|were|did) .{1,60}|how did (?:it|that) (?:feel|go)|memor(?:y|ies)|story|stories|anything about|"
        r"why (?:am|do|did|don't|can't|won't|are|is|was|were) .{1,60}|what about|talk about|what (?:went|was going) on|"
        r"feel|felt|feelings?|afraid|scared|happ(?:y|iest)|sad(?:dest)?|proud|the (?:day|night|time|evening|morning|"
        r"summer|winter|year) (?:of|when|that|we|i|at|in)|(?:that|those) (?:day|night|evening|morning|summer|winter|"
        r"time|afternoon|year|weekend)s?)\b"
    ),
    datum=(
        r"\b(?:how (?:much|many|long|often|far|old|big|fast|high)|what (?:time|day|date|colou?r|size|number|price)|"
        r"which|when (?:does|do|is|are|will)|where (?:is|are|do|does)|who (?:is|are)|what(?:'s| is| are) the)\b"
    ),
)
