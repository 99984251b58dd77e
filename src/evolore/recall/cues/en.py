"""English wordings that speak for an intent, each with how loudly and the regular expression that finds it."""

from __future__ import annotations

from evolore.domain.answers import Intent

CUES: tuple[tuple[Intent, float, str], ...] = (
    (
        Intent.TEMPORAL,
        5.0,
        (
            r"(?:^|[,;:.?!] ?|\b(?:and|so|remember|know|me|of|exactly|year|on) )when(?:'s| (?:did|was|is|were|"
            r"will|does|do|are|am|has|have|had|should|would|must|can|could|exactly|precisely)\b)"
        ),
    ),
    (
        Intent.TEMPORAL,
        4.5,
        (
            r"\b(?:what|which) (?:exact |calendar )?(?:date|day|days|year|years|month|time|week|weekday|hour|"
            r"century|season|quarter|decade|order|sequence)\b"
        ),
    ),
    (Intent.TEMPORAL, 4.5, r"\bhow (?:long|soon|often|recently|frequently|late|early)\b"),
    (Intent.TEMPORAL, 3.0, r"\bhow many (?:more )?(?:minutes|hours|days|nights|weeks|months|years|times)\b"),
    (
        Intent.TEMPORAL,
        3.5,
        r"\b(?:since|until|till|by|from) when\b|\bhow old (?:was|were)\b|\bat what (?:age|time|point)\b",
    ),
    (
        Intent.TEMPORAL,
        2.5,
        (
            r"\b(?:deadline|due|schedule|scheduled|calendar|timeline|chronolog\w+|agenda|timetable|"
            r"opening hours|expir\w+|anniversary|duration|start date|end date)\b"
        ),
    ),
    (
        Intent.TEMPORAL,
        2.5,
        (
            r"\b(?:latest|newest|most recent|earliest|first (?:ever|time)|last time(?! (?:i|we|you|he|she|"
            r"they))|in (?:what|which) order|came first|come first|comes first|earlier|sooner|happened first|"
            r"before or after)\b"
        ),
    ),
    (Intent.TEMPORAL, 1.5, r"\b(?:first|last|next|previous|ago|date|dates)\b"),
    (
        Intent.TEMPORAL,
        3.0,
        (
            r"\bwhat (?:all |else )?(?:happened|went on|was going on|took place|did (?:i|we|he|she|they|"
            r"you) (?:do|get up to|get done|talk about|discuss|decide)|have (?:i|we|you) been (?:doing|up to)|"
            r"was (?:i|he|she) (?:doing|up to)|were (?:we|they) (?:doing|up to))\b"
        ),
    ),
    (
        Intent.TEMPORAL,
        1.0,
        (
            r"\b(?:yesterday|today|tomorrow|tonight|recently|lately|(?:last|this|next|past) (?:week|weekend|"
            r"night|month|year|spring|summer|autumn|fall|winter|monday|tuesday|wednesday|thursday|friday|"
            r"saturday|sunday))\b"
        ),
    ),
    (Intent.TEMPORAL, 1.0, r"\b(?:before|after|during|events)\b"),
    (Intent.TEMPORAL, 3.5, r"\bbefore\b.*\bor after\b|\bafter\b.*\bor before\b|\bor (?:before|after)\s*\?*$"),
    (Intent.EMOTIONAL, 3.0, r"\b(?:feel|feels|feeling|feelings|felt|mood|moods|emotion\w*)\b"),
    (
        Intent.EMOTIONAL,
        2.5,
        (
            r"\b(?:worr(?:y|ied|ies|ying)|anxious|anxiety|afraid|scared?|fears?|frightened|happy|happier|"
            r"happiest|happiness|sad|sadder|saddest|sadness|angry|anger|furious|rage|upset|proud|prouder|"
            r"proudest|pride|ashamed|shame|embarrass\w*|guilt|guilty|lonely|loneliness|miss him|miss her|"
            r"missed most|hurts?|hurtful|cry|cried|crying|tears|joy|joyful|delight\w*|excited|excitement|"
            r"nervous\w*|stress\w*|overwhelm\w*|relief|relieved|grateful|gratitude|thankful|regret\w*|"
            r"jealous\w*|envy|envious|disappoint\w*|heartbr\w+|depress\w*|hopeless|hopeful|comfort\w*|"
            r"cheer\w*|console\w*|sooth\w+|settles? me|calm(?:s|ed|ing)?(?: me)? down|calming|reliev\w+|"
            r"touched|bitter\w*|annoy\w*|frustrat\w*|panic\w*|dread\w*|terrif\w+|homesick\w*|grief|griev\w+|"
            r"mourn\w*|sulk\w*|resent\w*|humiliat\w+|insecure|thrill\w*|elated|ecstatic|devastat\w+|miserable|"
            r"gutted|shaken|tense|on edge|fed up|burn(?:ed|t) out|worn out|moved me|morale|spirits|remorse|"
            r"sorry for|hatred|hopes?|forgiv\w+|shock\w*|shattered|numb|giddy|aching|ache|wounded|betray\w*|"
            r"rejected|unloved|self-conscious|sentimental|look(?:s|ed|ing)? forward to|in (?:a )?(?:good|"
            r"bad) place|state of mind|inner|broke (?:my|his|her) heart|nostalg\w+|awe|disgust\w*|despair\w*|"
            r"crush\w*|butterflies|lump in|heavy|peaceful|at ease|content)\b"
        ),
    ),
    (
        Intent.EMOTIONAL,
        1.0,
        (
            r"\b(?:love|loved|enjoy\w*|hate|hated|laugh\w*|exhausted|tired|smile\w*|calm|lost it|alone|"
            r"courage|dear|heart|memory|memories|moment)\b"
        ),
    ),
    (
        Intent.EMOTIONAL,
        2.0,
        (
            r"\b(?:i can't (?:stand|take|cope|do this)|tell me (?:it|something|i|that)|i need (?:some|a|"
            r"to hear)|i'm (?:so|such|just|really|a)|i am so|i feel|(?:somebody|someone) (?:to|who)|"
            r"gets? (?:better|lighter|easier)|it'll be|remind me (?:that|why i|of (?:a|the) (?:time|good|"
            r"happy)))\b"
        ),
    ),
    (Intent.TECHNICAL, 3.0, r"\bhow (?:to|(?:do|can|should|could|would|did) (?:i|we|you|one))\b"),
    (Intent.TECHNICAL, 2.0, r"\bhow (?:is|are|was|does|do|did) (?:the|our|my|this|that|an?)\b"),
    (
        Intent.TECHNICAL,
        2.0,
        (
            r"\bwhy (?:does|do|is|are|won't|doesn't|don't|isn't|can't|did|would|has|keeps?) (?:the|our|my|"
            r"this|it|an?)\b"
        ),
    ),
    (
        Intent.TECHNICAL,
        2.0,
        (
            r"\b(?:fix\w*|repair\w*|mend|install\w*|config\w*|set ?up|deploy\w*|compil\w+|debug\w*|errors?|"
            r"exception|crash\w*|fails?|failing|failed|failure|bug|command|script|syntax|settings?|flags?|"
            r"parameters?|steps|instructions?|procedure|recipe|technique|calibrat\w+|adjust|troubleshoot\w*|"
            r"reset|reboot|restart\w*|firmware|driver|stack ?trace|traceback|architecture|implement\w*|"
            r"pipeline|leak\w*|not working|won't (?:start|open|turn|connect|work)|workflow|regex|endpoint|"
            r"wiring|tune|write me|show me how|(?:get|gets|got|is|are) (?:computed|calculated|generated|"
            r"stored|handled|parsed|built|wired|implemented|made)|snippet|join|tuning|pinned|segfault|timeout|"
            r"permission denied|null|undefined|exit code)\b"
        ),
    ),
    (
        Intent.TECHNICAL,
        1.0,
        (
            r"\b(?:work|works|working|version|code|build|server|database|query|cache|docker|git|api|sql|"
            r"python|linux|java\w*|config|log|logs|encrypt\w*|backup|backups|migrat\w+|cluster|kubernetes|"
            r"nginx|postgres\w*|machine|engine|pump|valve|motor|oven|filter|mechanism|method|process|mode|run|"
            r"turn on|turn off|clean|mix|dough|connect\w*|stuck|use)\b"
        ),
    ),
    (
        Intent.RELATIONAL,
        3.0,
        (
            r"\b(?:relat(?:ed|es|e|ionship|ionships|ion|ions|ives?)|connect(?:ion|ions|ed)|links?|linked|"
            r"ties?|tied|bond|difference\w*|differs?|compar\w+|versus|vs|similar\w*|in common|have to do with|"
            r"has to do with|anything to do with|each other|one another|get along|got along|gets along|"
            r"on good terms|family tree|org chart|hierarchy|depend(?:s|ed|ent|ency|encies)?|interact\w*|"
            r"correlat\w+|knock-on|overlap\w*|effects? (?:on|of)|lean(?:s|ed)? on|hinges? on|drag(?:s|"
            r"ged)? (?:along|down|in)|tracks? with|goes with|go with|how (?:does|do|did) \w+(?: \w+)? know)\b"
        ),
    ),
    (
        Intent.RELATIONAL,
        2.5,
        (
            r"\b(?:affect\w*|influenc\w*|impact\w*|cause[sd]?|led to|lead to|leads to|because of|due to|"
            r"result of|consequence\w*|to blame|responsible for|contribut\w+|trigger\w*|downstream|upstream|"
            r"rel(?:y|ies|ied) on|reports? to|reported to|answers? to|boss of|in charge of whom|subordinates?|"
            r"friends?|friendship|cousins?|uncle|aunt|nephew|niece|in-laws?|siblings?|half-\w+|step\w+|"
            r"married to|close to|closest|close are|trusts?|introduced|mentor\w*|ally|allies|rivals?|"
            r"know(?:s)? whom|sides? with|better than|work(?:s|ed)? with|belongs? to|owned by|who knows|"
            r"stand(?:s)? to|between)\b"
        ),
    ),
    (
        Intent.RELATIONAL,
        1.0,
        (
            r"\b(?:behind|whose|whom|role|than|or|both|together|brother|sister|father|mother|boss|"
            r"colleague\w*|team\w*|follow\w*|draw|change)\b"
        ),
    ),
    (Intent.FACTUAL, 3.0, r"\bwhere\b|\bhow (?:much|many|big|tall|far|heavy|large|high|wide|fast|deep|hot)\b"),
    (
        Intent.FACTUAL,
        2.0,
        r"\bwho(?:'s| is| was| wrote| made| owns| won| has| gave| paid| said| sent| plays| sang| runs)?\b",
    ),
    (Intent.FACTUAL, 1.5, r"\b(?:what|which)(?:'s| is| was| are| were)? (?:the|my|our|his|her|their|your|a|an)\b"),
    (Intent.FACTUAL, 1.0, r"\b(?:what|which)\b"),
    (
        Intent.FACTUAL,
        1.5,
        (
            r"^(?:and |so |ok,? |hey,? )?(?:who(?:'s)?|where|how (?:much|many|big|tall))\b|\bdid .* (?:pay|"
            r"spend)\b"
        ),
    ),
    (
        Intent.FACTUAL,
        1.5,
        (
            r"\b(?:list|ingredients|total|model number|contact|who (?:made|wrote|sold|built|fixed|took|"
            r"designed))\b"
        ),
    ),
    (
        Intent.FACTUAL,
        2.0,
        (
            r"\b(?:names?|named|called|address|numbers?|prices?|cost|costs|phone|e-?mail|password|colou?r|"
            r"size|allerg\w+|brand|title|capital|stands? for|definition|define[sd]?|amount|salary|rent|rate|"
            r"id|code for|nickname|birthplace|population|surname|model of|budget|fee|limit)\b"
        ),
    ),
    (
        Intent.RELATIONAL,
        2.0,
        (
            r"\b(?:friends?|cousins?|uncle|aunt|nephews?|nieces?|in-laws?|siblings?|couple|neighbou?rs? with|"
            r"married|answers? to|reports? to|introduced|took over from|(?:to|from|by|of|with) whom|"
            r"who .{2,40} (?:who|whom)\b|owns the \w+ that|parent company|subsidiar\w+|supervis\w+|manages)\b"
        ),
    ),
    (
        Intent.RELATIONAL,
        3.0,
        (
            r"\b(?:what|who|which \w+) (?:else )?(?:breaks?|suffers?|stops?|is affected|are affected|"
            r"gets? hit|loses?)\b|\breferences?\b|\bdifferent from\b|\bwork together\b|\bwhat role\b|"
            r"\b(?:fall|fell|fallen) out\b|\bsuits? .* better\b|\bpull along\b|\bpattern between\b|"
            r"\b(?:affects?|shap(?:e|ed)|chang(?:e|ed)) (?:my|our|his|her|their)\b|\bmore .{2,40} than\b|"
            r"\bwho (?:is|are|was|were) .{2,30} to (?:me|him|her|us|them|each)\b"
        ),
    ),
    (
        Intent.FACTUAL,
        3.0,
        (
            r"^(?:the )?(?:full |exact )?(?:name|title|address|number|price|cost|e-?mail|colou?r|size|brand|"
            r"model|author|password|amount)s? (?:of|for)\b"
        ),
    ),
    (Intent.TEMPORAL, 1.5, r"^(?:was|were|did|is|are|has|had|have)\b.{0,60}\b(?:before|after)\b"),
    (
        Intent.TEMPORAL,
        2.5,
        (
            r"\bhow much (?:time|longer)\b|\bwhich .{0,30}\bfirst\b|^(?:date|day|time|year|month|duration|"
            r"deadline|order) (?:of|for)\b|\bwho .{0,30}\bfirst\b"
        ),
    ),
    (
        Intent.TECHNICAL,
        3.0,
        (
            r"\b(?:sql|regular expression|memory leak|refused|what happens (?:when|if|inside)|parsed|"
            r"serialis\w+|how (?:is|are) .{2,40} by the|what does (?:the )?\S+ (?:flag |option |command |"
            r"setting )?(?:do|control)|--\w+|[45]\d\d error|port \d+)(?!\w)"
        ),
    ),
    (
        Intent.EMOTIONAL,
        2.0,
        (
            r"\b(?:weepy|move me|moves me|(?:all right|alright|okay|ok|coping|holding up|doing)(?: now| after|"
            r" since|\?|$)|hit (?:me|him|her|us|them)|kind to|useless|worthless|brave|bravest|braver|"
            r"light-hearted|tender|affection\w*|pleased|gloomy|down in the dumps|cranky|irritat\w+|agoni\w+|"
            r"torment\w*|suffer(?:ed|ing)?|unhappy|uneasy|restless|bored|boredom|surpris\w+|astonish\w+|wept|"
            r"weep|sob\w*|beloved|treasure\w*|fond\w*|bliss\w*|ador\w+|yearn\w*|long(?:ed|ing) for|isolated|"
            r"empty inside|take it|took it|wounds?|insult\w*|trust issues|pity|sympath\w+|reassur\w*|"
            r"encourag\w+|support me|vent)\b"
        ),
    ),
)
