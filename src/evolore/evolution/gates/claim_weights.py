"""What the signs of a turned claim weigh: written by ``python benchmarks/fit_gates.py --write``, not by hand."""

from __future__ import annotations

from evolore.evolution.gates.claim_scores import ClaimWeights


def _read(table: str) -> dict[str, float]:
    cells = [cell.split(" = ") for cell in table.replace("\n", ";").split(";") if cell.strip()]
    return {name.strip(): float(weight) for name, weight in cells}


BY_MEANING = ClaimWeights(
    offset=-0.268,
    refuse=3.428,
    doubt=1.618,
    weights=_read("""
absents_added = -0.312; added_for_nothing = -0.189; added_for_nothing*fewer_in_all = 0.721
added_for_nothing*grams = 0.937; added_for_nothing*unchanged = 1.234; added_for_nothing*words = 0.755
ahead = -0.234; allowed_instead = 0.267; allowed_instead*nearness = 0.367
anchors = 0.068; anchors_turned*words = 0.311; asks = -1.209
both_deny = -0.255; denial_added = -0.127; denial_added*second = -0.270
denial_added*unchanged = 1.778; denial_lost*sentence_odd = 0.261; denials_cut = -0.115
denials_cut*nearness = -0.085; denials_in_all = -0.061; eased = 1.102
eased*nearness = 1.223; eases_added = 0.876; eases_lost = -0.498
exchanged = 0.687; exchanged*nearness = 1.075; exchanged*unchanged = 1.051
fewer_in_all = 0.169; freed*nearness = 1.093; gone_words = -0.231
grams = 0.135; heading = -0.842; includes_added = 1.116
includes_added*nearness = 0.779; includes_lost = 0.342; kept = 2.172
left_out = -0.076; left_out*nearness = -0.077; left_out*unchanged = -0.445
longer = 0.289; lost_for_nothing*fewer_in_all = 0.175; lost_for_nothing*mutual = 0.285
lost_for_nothing*nearness = 0.307; lost_for_nothing*score = 0.220; lost_for_nothing*sentence_odd = 0.432
lost_for_nothing*words = 0.353; nearness = -0.433; new_words = 0.411
none_denies = 0.122; odd = -0.095; odd*second = -0.285
odd*unchanged = 0.681; odd_with_softeners = 0.191; opposed = 0.579
opposed*nearness = 0.536; other_length = -0.454; permits_added = 0.357
put_in*unchanged = -0.266; replaced = 0.128; replaced*nearness = 0.049
replaced*unchanged = 0.489; requires_added = 0.207; restriction_added = 0.255
restriction_added*unchanged = -2.037; restriction_lost = 0.287; restriction_lost*nearness = 0.723
score = -0.169; second = 0.219; sentence added_for_nothing = -0.329
sentence added_for_nothing*unchanged = 1.174; sentence alike = 0.155; sentence allowed_instead = 0.202
sentence conditions_added*nearness = -0.236; sentence denial_added = -0.145; sentence denial_added*nearness = -0.159
sentence denials_cut = -0.067; sentence denials_cut*nearness = -0.110; sentence denials_cut*unchanged = 0.829
sentence doubles_lost = -0.227; sentence exchanged*unchanged = 1.112; sentence grams = 0.183
sentence includes_added = 0.532; sentence includes_added*nearness = 0.428; sentence includes_lost = 0.630
sentence left_out*unchanged = -0.220; sentence longer = -0.137; sentence lost_for_nothing = 0.179
sentence lost_for_nothing*nearness = 0.361; sentence lost_for_nothing*unchanged = 0.561; sentence moved = 2.148
sentence nearness = -0.433; sentence odd = 0.145; sentence odd*nearness = 0.198
sentence other_length = -0.291; sentence permits_added*nearness = -0.155; sentence permits_lost*nearness = -0.362
sentence permits_lost*unchanged = 0.633; sentence put_in = -0.051; sentence put_in*nearness = -0.123
sentence put_in*unchanged = -0.616; sentence replaced = -0.037; sentence replaced*nearness = -0.154
sentence replaced*unchanged = 0.118; sentence requires_added*nearness = -0.234; sentence requires_lost*unchanged = -0.355
sentence restriction_added*unchanged = -1.932; sentence restriction_lost*unchanged = 1.314; sentence softened_cut*nearness = -0.056
sentence softened_cut*unchanged = 0.966; sentence softeners_added*nearness = -0.102; sentence softeners_added*unchanged = -0.616
sentence unchanged = 1.065; softened_cut = 0.097; softeners_added = 0.097
softeners_lost*unchanged = 0.608; supposes_added = -0.392; supposes_lost = 0.765
surely_opposed = 0.836; surely_opposed*nearness = 0.860; unchanged = 0.431
"""),
)


BY_WORDS = ClaimWeights(
    offset=-0.932,
    refuse=3.692,
    doubt=1.591,
    weights=_read("""
absents_added = -0.342; added_for_nothing = -0.151; added_for_nothing*mutual = 0.371
added_for_nothing*nearness = 0.549; added_for_nothing*score = 0.470; added_for_nothing*unchanged = 1.420
added_for_nothing*words = 0.621; ahead = -0.091; alike = -0.235
allowed_instead = 0.326; anchors = 0.042; anchors_turned = -0.044
anchors_turned*sentence_odd = 0.229; asks = -1.203; both_deny = -0.289
denial_added = -0.139; denial_added*sentence_odd = -0.165; denial_added*unchanged = 1.864
denial_lost*second = -0.275; denial_lost*sentence_odd = 0.288; denials_apart = 0.167
denials_cut = -0.168; denials_in_all = -0.048; eased = 1.136
eased*nearness = 1.152; eases_added = 0.867; eases_lost = -0.640
exchanged = 0.781; exchanged*nearness = 1.256; exchanged*unchanged = 0.918
freed = 0.435; freed*nearness = 0.789; gone_words = -0.142
heading = -0.888; includes_added = 1.225; includes_added*nearness = 0.682
kept = 2.224; left_out = -0.082; left_out*nearness = -0.083
left_out*unchanged = -0.427; longer = 0.215; lost_for_nothing*fewer_in_all = 0.220
lost_for_nothing*grams = 0.278; lost_for_nothing*mutual = 0.290; lost_for_nothing*nearness = 0.292
lost_for_nothing*score = 0.217; lost_for_nothing*sentence_odd = 0.439; lost_for_nothing*words = 0.299
mutual = -0.097; new_words = 0.535; none_denies = 0.116
odd = -0.037; odd*second = -0.424; odd*unchanged = 0.639
odd_with_softeners = 0.167; opposed = 0.661; other_length = -0.293
permits_added = 0.385; put_in*unchanged = -0.250; replaced = 0.098
replaced*nearness = 0.134; replaced*unchanged = 0.436; requires_added = 0.228
restriction_added = 0.433; restriction_added*unchanged = -2.058; restriction_lost*nearness = 0.949
second = 0.236; sentence allowed_instead = 0.267; sentence conditions_added*nearness = -0.190
sentence conditions_added*unchanged = -0.688; sentence conditions_lost = 0.111; sentence denial_added = -0.146
sentence denial_lost*unchanged = 0.521; sentence denials_cut = -0.088; sentence denials_cut*unchanged = 0.750
sentence doubles_lost = -0.489; sentence exchanged*unchanged = 0.819; sentence grams = 0.143
sentence includes_added = 0.594; sentence includes_added*nearness = 0.392; sentence includes_lost = 0.642
sentence left_out*unchanged = -0.214; sentence longer = -0.147; sentence lost_for_nothing = 0.168
sentence lost_for_nothing*nearness = 0.260; sentence lost_for_nothing*unchanged = 0.483; sentence moved = 2.287
sentence none_denies = 0.066; sentence odd = 0.150; sentence odd_with_softeners = 0.089
sentence other_length = -0.290; sentence permits_added*nearness = -0.213; sentence permits_lost*nearness = -0.347
sentence permits_lost*unchanged = 0.702; sentence put_in = -0.088; sentence put_in*nearness = -0.094
sentence put_in*unchanged = -0.570; sentence replaced = -0.053; sentence replaced*nearness = -0.103
sentence replaced*unchanged = 0.129; sentence requires_added*nearness = -0.246; sentence requires_lost*unchanged = -0.360
sentence restriction_added = 0.198; sentence restriction_added*nearness = -0.331; sentence restriction_added*unchanged = -2.016
sentence restriction_lost*unchanged = 1.546; sentence softened_cut*nearness = -0.046; sentence softened_cut*unchanged = 1.063
sentence softeners_added*nearness = -0.106; sentence softeners_added*unchanged = -0.547; sentence softeners_lost = 0.098
sentence supposes_added = -0.191; sentence supposes_lost = 0.305; sentence unchanged = 1.154
softeners_lost*unchanged = 0.584; supposes_added = -0.357; supposes_lost = 0.385
surely_opposed = 1.025; surely_opposed*nearness = 0.859; unchanged = 0.451
"""),
)
