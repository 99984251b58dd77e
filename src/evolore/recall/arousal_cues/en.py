"""English words and phrases (up to three words) that say how strongly something is felt, by what they are."""

from __future__ import annotations

FEELING = """
afraid angry annoyed anxious ashamed bitter blushed depressed disappointed disappointing dread dreading
embarrassed embarrassing envious excited exciting exhausted fear fears fed_up frightened frustrated frustrating
glad grateful gratitude grief grieve grieving guilty happy happiness hate hated homesick hopeless hurt hurts
insulted jealous joy lonely loneliness longing love loved mad miserable miss missed missing nervous overwhelmed
panic panicked proud regret relieved relief resent sad sadness scared scary shame shocked sick_of stressed
stressful struggle struggling suffering support surprised terrible thankful thrilled unhappy upset wept worried
worry worrying tears tough hard_time hurtful lost_heart alone unfair wonderful awful thrilling can't_wait
"""

STRONG = """
agony anguish appalled beside_myself betrayal betrayed blissful broke_down broken heart crushed despair desperate
devastated devastating ecstatic enraged euphoric furious heartbreaking heartbroken horrified horrifying horror
humiliated humiliation hysterical inconsolable livid mourning overjoyed panicking petrified rage shattered
sobbed sobbing suicidal terrified terrifying terror traumatised traumatized traumatic tormented unbearable
unforgivable never_forgive worthless worst_day happiest_day happiest_person best_day_of broke_my_heart over_the_moon
can't_bear screamed screaming howled wailed scream adored hate_him hate_her hate_them
"""

BODY = """
couldn't_breathe can't_breathe cannot_breathe can't_sleep couldn't_sleep can't_eat couldn't_eat hardly_eat crying
cried burst_into goosebumps hands_shaking heart_pounding heart_racing heart_was_pounding knees_gave lump_in
nauseous shaking shook stomach_dropped stomach_turned sweating threw_up tear tearful tears trembled trembling
trembles speechless could_not_speak couldn't_speak fainted collapsed frozen couldn't_move grinning hugged
voice_was_gone went_numb numb sleepless
"""

GRAVE = """
abortion abuse abused accident ambulance amputated arrested ashes assault assaulted attacked beat_me biopsy
bankrupt bombed burned burnt buried cancer casket chemo chemotherapy coffin coma crash custody dead death
demolished diagnosis die died dies divorce divorced drowned drowning dying earthquake emergency evicted
explosion fire flames flood funeral grave gun gunshot heart_attack hospice hospital intensive homeless kidnapped killed
killing knife laid_off last_breath leukemia leukaemia lost_my lost_our miscarriage miscarriages missing murder
murdered operation orphan overdose passed_away prison put_down raped redundant rescue rescued resuscitation
rubble shooting shot sirens stabbed stillborn stroke suicide surgeon surgery survived terminal terminally torture
transplant trapped tumour tumor ventilator war widow wounded wreck fired_me was_fired kill_myself alive
"""

JOY = """
accepted baby born champions championship engaged first_steps first_time first_word got_in graduated married
passed promoted promotion proposed reunited reunion scholarship she_said_yes he_said_yes wedding won cured
pregnant dream_come_true
"""

KIN = """
boy brother child children dad daddy daughter family father fiance fiancé fiancée girl girlfriend boyfriend
grandad granddad grandfather grandma grandmother grandpa granddaughter grandson granny husband kids mom mommy mother
mum mummy nan parents partner sister son twins wife best_friend my_friend my_dog our_dog my_cat baby
"""

SELF = """
i i'm i've i'd i'll me my myself mine we we're we've we'd our us ourselves
"""

INTENSE = """
absolutely all_night at_all completely deeply desperately ever everything extremely forever how_could incredibly
never_again never_been nothing left_out_of my_mind really so so_much terribly totally truly unbelievably utterly very
whole_world so_happy so_proud so_sad so_scared so_angry so_grateful
"""

HEDGE = """
a_bit a_little a_touch fairly kind_of mildly not_exactly not_thrilled quite rather slightly somewhat sort_of
anyway never_mind okay fine alright
"""

TRIFLE = """
haha hahaha lmao lol omg rofl ugh aargh noooo literally_dying obsessed lolz yay best_ever worst_ever ten_out_of urgent
i_could_kill_for kill_me_now
"""

THING = """
attachment bag beans biscuit biscuits button cable cake clip clips coffee curtains desk drawer emoji file font form
icon keyboard lid logo lunch machine milk mouse mug password pen pencil pens printer remote sandwich snack snacks
socks soup spoon stapler sticker stickers tape tea toner wallpaper wifi
"""

MILD = """
comfortable cosy cozy decent enjoy enjoyed good interesting like liked looking_forward nice okay pity pleasant
pleased prefer shame fun sounds_fun tired slow irritated concern pleasantly mixed cheerful calm relaxing
"""

RECORD = """
according agenda approved attached century centimetres click code column committee configuration data database
deadline default department document file files folder form function invoice index input kilometres list meeting
minutes municipality number order output paragraph per percent please population report request returns schedule
section server setting settings spreadsheet table timeout update updated use used version via born in published
"""
