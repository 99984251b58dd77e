"""English words of contrast."""

from __future__ import annotations

from evolore.text.contrasts import ContrastWords

_FILLERS = """
a an the this that these those there here is are was were be been being am do does did done have has had having will would
shall should can could may might must to of in on at by for with from into onto through over under along across around
between among about as than and or but so if while when where who which what how that it its itself my your his her our
their me him them us i you he she we they one some any several very really just also too already still then out off up down
upon near next beside behind front inside outside within without towards toward against during before after each other
another own well oh ah um yes yeah okay ok please maybe perhaps s group herd bunch set lot piece pair something
no not never none nobody nothing neither nor cannot hardly nowhere
hundred thousand million billion k dollar dollars euro euros pound pounds usd eur percent
"""

WORDS = ContrastWords(
    negation=(
        r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|barely|scarcely|no longer|"
        r"stopped|quit|ceased|fail(?:s|ed)? to|refus(?:e|es|ed) to|unable|lacks?|lacking|\w+n't|aint)\b"
    ),
    no_negation=(
        r"\b(?:not only|no doubt|no problem|no matter|whether or not|or not|why not|nothing but|no wonder|not just|"
        r"not until|no one else|none other|not least|if not|no sooner|no less|no more than|nothing else)\b"
    ),
    supposed=(
        r"\b(?:will|going to|gonna|would|should|must|want(?:s|ed)? to|wish(?:es|ed)?|hop(?:e|es|ed|ing) to|plan(?:s|ned|ning)? to|"
        r"might|intend(?:s|ed)? to|about to|supposed to|need(?:s|ed)? to|have to|has to|let us|let me|almost|nearly|if)\b"
    ),
    present=r"\b(?:is|are|am|does|has|have|now|currently)\b",
    past=r"\b(?:was|were|did|had|used to|formerly|previously|back then|once)\b",
    opposites=r"""
! open|opens|opened|opening / close|closes|closed|closing|shut
! on the (?:table|desk|bed) / under the (?:table|desk|bed)
! into / out of|off of|away from
! in front of / behind|at the back of|in back of
! near|next to|close to|beside|by / far from
! above|over / below|under|beneath
! inside|indoors / outside|outdoors
! in the (?:water|pool|house|box|bag|car|room) / out of the (?:water|pool|house|box|bag|car|room)
! smiling|smiles|laughing|happy / frowning|frowns|crying|cries|sad
! asleep|sleeping|sleeps?|slept|napping / running|runs?|walking|walks?|jumping|dancing|dances?|swimming|riding|driving|eating|drinking|talking|cooking|working|climbing
! wet / dry
! full|filled / empty
! talking|talks|chatting|singing|shouting|yelling|speaking / silent|quiet|not speaking
! eating|eats / fasting
! alive / dead|died
! asleep / awake
! win|wins|won|winning / lose|loses|lost|losing
! buy|buys|bought|buying / sell|sells|sold|selling
! accept|accepts|accepted|approved?|approves|allow|allows|allowed|permitted / reject|rejects|rejected|refused?|denied|denies|forbid|forbidden|forbids|banned|ban
! enable|enabled|enables|turned on|switched on / disable|disabled|disables|turned off|switched off
! love|loves|loved|like|likes|liked|enjoys?|fond / hate|hates|hated|dislikes?|disliked|can't stand|detests?
! always / never|rarely|seldom
! true|correct|right / false|incorrect|wrong
! possible / impossible
! able / unable
! happy|happily|glad|smiling|laughing / sad|sadly|unhappy|crying|frowning|weeping
! safe / dangerous|unsafe|hazardous
! legal / illegal
! online / offline
! paid / unpaid|free
! guilty / innocent|not guilty
! pass|passed|passes / fail|failed|fails
! agree|agrees|agreed / disagree|disagrees|disagreed
! increase|increased|increases|rise|rises|rose|risen|up|higher|gained|climbed|raised / decrease|decreased|decreases|fall|falls|fell|fallen|down|lower|dropped|declined|lowered|cut
! start|starts|started|begin|begins|began|beginning|opens / stop|stops|stopped|end|ends|ended|finish|finished|finishes
! arrive|arrives|arrived|arriving|came / leave|leaves|left|leaving|depart|departs|departed
! remember|remembers|remembered / forget|forgets|forgot|forgotten
! single|unmarried / married|engaged|divorced
! married / divorced
! vegetarian|vegan / meat eater|eats? meat
! add|adds|added|adding|putting on|puts? on / remove|removes|removed|removing|taking off|takes? off
! pull|pulls|pulled|pulling / push|pushes|pushed|pushing
! catch|catches|catching / throw|throws|throwing|dropping|missing
! getting on|gets on|entering|enters / getting off|getting out|leaving|exiting
sitting|sits?|seated|sat / standing|stands?|stood / lying|lies|laying|lays|laid / walking|walks?|walked / running|runs?|ran|jogging / jumping|jumps?|jumped / swimming|swims?|swam / climbing|climbs? / sleeping|sleeps?|slept / riding|rides?|rode / dancing|dances?
man|men|guy|guys|gentleman|gentlemen|male|males|boy|boys|father|dad|husband|son|brother|king|actor|uncle|grandfather|mr / woman|women|lady|ladies|female|females|girl|girls|mother|mum|mom|wife|daughter|sister|queen|actress|aunt|grandmother|mrs|ms
boy|boys|girl|girls|child|children|kid|kids|toddler|baby / man|men|woman|women|adult|adults|lady|gentleman|guy|guys
person|people|man|men|woman|women|boy|girl / dog|dogs|puppy / cat|cats|kitten / horse|horses / cow|cows / bird|birds / monkey|monkeys|gorilla / bear|bears / sheep / elephant|elephants / fish
~ young|younger / old|older|elderly
~ big|large|huge|giant|great / small|little|tiny
~ long|longer / short|shorter
hot|warm / cold|cool|chilly
high / low
good|great|excellent / bad|poor|terrible|awful
easy|simple / hard|difficult
fast|quick|quickly / slow|slowly
early / late
light|bright / dark
~ new|newest|latest / old|former|previous
~ first / second / third / fourth / fifth / last|final
~ left / right
~ production|prod|live / staging|test|testing|sandbox|dev
~ outbound|flight to|train to|way there / return|home from|way back|flight home|back from
~ upstairs|upper / downstairs|lower
~ indoor / outdoor
~ weekdays? / weekends?
~ north|northern / south|southern / east|eastern / west|western
morning / afternoon / evening / night / noon / midnight
spring / summer / autumn|fall / winter
mondays? / tuesdays? / wednesdays? / thursdays? / fridays? / saturdays? / sundays?
january|jan / february|feb / march / april|apr / may \d+|in may|of may / june|jun / july|jul / august|aug / september|sept?|sept / october|oct / november|nov / december|dec
yesterday / today|tonight / tomorrow
this week / last week / next week
this month / last month / next month
this year / last year / next year
daily|every day / weekly|every week / monthly|every month / yearly|annually|every year
before / after
red / blue / green / yellow / black / white / orange / purple / pink / brown / gr[ae]y / beige / tan / gold|golden / silver / turquoise
bicycle|bike|bikes / car|cars / bus|buses / train|trains / plane|airplane / motorcycle|motorbike / boat|boats / truck|trucks / skateboard / scooter / horse
guitar / piano / violin / drums? / flute / trumpet / cello
soccer|football / basketball / baseball / tennis / hockey / golf / cricket / rugby / volleyball
beach|sand / snow / grass|lawn / street|road / mountain|mountains / forest|woods
coffee / tea / beer / wine / milk / water / juice
few|none|no / many|lots|most|all|much|every
half / all|whole|entire
alone|by myself|by himself|by herself / together|with friends
kitchen / bedroom / bathroom / garden / garage / living room
i|me|my|mine|we|us|our / you|your / he|she|they|his|her|their
""",
    same=r"""
child|children|kids?|toddlers?|youngsters?
man|men|guys?|gentlem[ae]n|fellows?
woman|women|lady|ladies
person|people
grass|lawn|grassy
rotate|spin
bike|bicycle
plane|airplane|aircraft|jet
television|tv
begin|start|commence
end|finish
big|large|huge
small|little|tiny
fast|quick|rapid
slice|cut|chop
speak|talk|chat
buy|purchase
fix|repair|mend
kill|murder|slay
get|receive|obtain
say|tell|state
show|display
choose|pick|select
moved?|relocate
film|movie
shop|store
holiday|vacation
flat|apartment
lorry|truck
mobile|cellphone|phone
mum|mom|mother
grandmother|gran|grandma|granny|nan
grandfather|grandpa|granddad
dad|father
grey|gray
meeting|mtg
job|position
pretty|beautiful
gun|pistol|handgun
fire|blaze
rock|stone
ok|okay|fine
street|road
look for|search for|searching
require|need
help|assist|aid
reply|answer|respond
doctor|physician
couch|sofa
trail|path
wooden|wood
american|u.s.|us
quickly|rapidly
""",
    never=r"\b(?:i|we) (?:have |had )?never(?: actually| really| even| ever)? (.+?)(?:,|\.|;|\bbut\b|\bwhich\b|\bso\b|\bbecause\b|$)",
    definite=r"^\W*(?:the|my|our|your|his|her|their|its|this|that|these|those|i|we|he|she|they|it)\b",
    small_talk=(
        r"(?:many |no )?thanks?(?: a lot| so much| very much)?|thank you(?: so much| very much| again)?|thx|ty|you're welcome|welcome|"
        r"(?:yes|yeah|yep|yup|no|nope|nah|ok|okay|sure|right|exactly|absolutely|definitely|of course|indeed|alright|fine|great|cool|nice|"
        r"perfect|awesome|wow|haha\w*|lol|hmm+|oh|ah|um|well|good|agreed|true|same|really|please|sorry|done|got it|i see|i know|"
        r"i agree|me too|same here|sounds? (?:good|great|fine|perfect)|no (?:problem|worries)|not really|makes sense|"
        r"that's (?:great|good|nice|cool|awesome|true|right|fine|amazing|wonderful)|it is|it's (?:ok|okay|fine))|"
        r"hi|hello|hey|bye|goodbye|good (?:morning|afternoon|evening|night|luck|job)|see you(?: soon| later| tomorrow)?|"
        r"how are you(?: doing)?|what's up|take care|congrat\w*|happy birthday|have a (?:nice|good|great) (?:day|one|weekend|time)|"
        r"you too|there|all|everyone|guys|again|then|so much"
    ),
    fillers=frozenset(_FILLERS.split()),
)
