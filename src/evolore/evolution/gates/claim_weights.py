"""What the signs of a turned claim weigh: written by ``python benchmarks/fit_gates.py --write``, not by hand."""

from __future__ import annotations

from evolore.evolution.gates.claim_scores import ClaimWeights


def _read(table: str) -> dict[str, float]:
    cells = [cell.split(" = ") for cell in table.replace("\n", ";").split(";") if cell.strip()]
    return {name.strip(): float(weight) for name, weight in cells}


BY_MEANING = ClaimWeights(
    offset=-0.249,
    refuse=2.972,
    doubt=1.288,
    weights=_read("""
absents_added = -0.279; absents_lost = 0.252; added_for_nothing*fewer_in_all = 0.511
added_for_nothing*mutual = 0.270; added_for_nothing*sentence_odd = 0.241; added_for_nothing*unchanged = 2.816
added_for_nothing*words = 0.527; ahead = -0.163; alike = -0.166
allowed_instead = 0.290; anchors = 0.055; anchors_turned*mutual = 0.174
anchors_turned*words = 0.217; asks = -0.940; both_deny = -0.186
conditions_added*nearness = -0.175; denial_added = -0.280; denial_added*second = -0.527
denial_lost*sentence_odd = 0.255; denials_apart = 0.093; denials_cut = -0.097
denials_cut*nearness = -0.130; denials_in_all = -0.059; eased = 1.194
eased*nearness = 1.298; eases_added = 0.459; eases_lost = -0.527
exchanged = 0.561; exchanged*nearness = 0.913; exchanged*unchanged = 0.839
freed*nearness = 0.994; gone_words = -0.219; heading = -0.749
includes_added = 1.049; includes_added*nearness = 0.998; kept = 1.974
left_out = -0.071; left_out*nearness = -0.106; left_out*unchanged = -0.568
longer = 0.244; lost_for_nothing = 0.119; lost_for_nothing*fewer_in_all = 0.197
lost_for_nothing*mutual = 0.236; lost_for_nothing*nearness = 0.262; lost_for_nothing*score = 0.203
lost_for_nothing*second = 0.359; lost_for_nothing*sentence_odd = 0.367; lost_for_nothing*words = 0.283
nearness = -0.411; new_words = 0.340; none_denies = 0.091
odd = -0.094; odd*second = -0.262; odd*unchanged = 0.569
odd_with_softeners = 0.134; opposed = 0.492; opposed*nearness = 0.516
other_length = -0.386; permits_added = 0.313; put_in = 0.053
replaced = 0.114; replaced*unchanged = 0.659; requires_added = 0.133
restriction_added*unchanged = -1.533; restriction_lost = 0.230; restriction_lost*nearness = 0.626
score = -0.141; sentence absents_added = 0.163; sentence added_for_nothing = -0.239
sentence added_for_nothing*unchanged = 3.408; sentence allowed_instead = 0.237; sentence allowed_instead*nearness = 0.205
sentence conditions_added*nearness = -0.156; sentence denials_cut = -0.080; sentence denials_cut*nearness = -0.136
sentence denials_cut*unchanged = 0.693; sentence doubles_lost = -0.586; sentence exchanged*nearness = 0.331
sentence exchanged*unchanged = 0.843; sentence grams = 0.235; sentence includes_added = 0.561
sentence includes_added*nearness = 0.538; sentence includes_lost = 0.743; sentence includes_lost*nearness = 0.552
sentence longer = -0.163; sentence lost_for_nothing = 0.216; sentence lost_for_nothing*nearness = 0.335
sentence moved = 2.040; sentence nearness = -0.411; sentence odd = 0.094
sentence odd*nearness = 0.140; sentence odd*unchanged = 0.460; sentence odd_with_softeners = 0.077
sentence other_length = -0.248; sentence permits_added = 0.116; sentence permits_added*nearness = -0.147
sentence permits_lost*nearness = -0.307; sentence put_in = -0.044; sentence put_in*nearness = -0.128
sentence put_in*unchanged = -0.592; sentence replaced = -0.029; sentence replaced*nearness = -0.105
sentence replaced*unchanged = 0.275; sentence requires_added*nearness = -0.347; sentence restriction_added*unchanged = -1.804
sentence restriction_lost*nearness = 0.229; sentence restriction_lost*unchanged = 1.082; sentence softened_cut*unchanged = 0.563
sentence softeners_added = -0.056; sentence softeners_added*nearness = -0.142; sentence softeners_lost*unchanged = 0.350
sentence supposes_added = -0.210; sentence supposes_lost = 0.174; sentence unchanged = 1.124
softened_cut = 0.071; softeners_lost = 0.065; supposes_lost = 0.472
surely_opposed = 0.686; surely_opposed*nearness = 0.760; unchanged = 0.493
"""),
)


BY_WORDS = ClaimWeights(
    offset=-1.045,
    refuse=3.152,
    doubt=1.222,
    weights=_read("""
absents_added = -0.320; added_for_nothing*mutual = 0.342; added_for_nothing*nearness = 0.419
added_for_nothing*score = 0.309; added_for_nothing*unchanged = 2.103; added_for_nothing*words = 0.527
alike = -0.326; allowed_instead = 0.239; anchors_turned*sentence_odd = 0.119
anchors_turned*words = 0.226; asks = -0.927; both_deny = -0.234
conditions_added*nearness = -0.146; denial_added = -0.308; denial_lost*sentence_odd = 0.235
denials_apart = 0.105; denials_cut = -0.158; denials_in_all = -0.055
eased = 1.334; eased*nearness = 1.323; eases_lost = -0.552
exchanged = 0.626; exchanged*nearness = 1.026; exchanged*unchanged = 0.786
freed = 0.422; freed*nearness = 0.717; gone_words = -0.102
heading = -0.799; includes_added = 1.144; includes_added*nearness = 0.972
includes_lost = 0.479; kept = 2.098; left_out = -0.077
left_out*nearness = -0.105; left_out*unchanged = -0.570; longer = 0.170
lost_for_nothing = 0.143; lost_for_nothing*fewer_in_all = 0.217; lost_for_nothing*grams = 0.313
lost_for_nothing*mutual = 0.221; lost_for_nothing*nearness = 0.266; lost_for_nothing*score = 0.205
lost_for_nothing*sentence_odd = 0.384; lost_for_nothing*words = 0.244; mutual = -0.106
new_words = 0.398; none_denies = 0.107; odd = -0.066
odd*second = -0.419; odd*unchanged = 0.486; odd_with_softeners = 0.139
opposed = 0.615; opposed*nearness = 0.411; other_length = -0.253
permits_added = 0.319; permits_lost*nearness = -0.257; put_in = 0.069
replaced = 0.085; replaced*nearness = 0.124; replaced*unchanged = 0.572
requires_added = 0.174; restriction_added*unchanged = -1.416; restriction_lost = 0.234
restriction_lost*nearness = 0.613; second = 0.185; sentence absents_added = 0.235
sentence added_for_nothing*unchanged = 3.326; sentence allowed_instead = 0.239; sentence allowed_instead*nearness = 0.210
sentence conditions_added*nearness = -0.169; sentence denial_added = -0.174; sentence denials_cut = -0.083
sentence denials_cut*nearness = -0.095; sentence denials_cut*unchanged = 0.638; sentence doubles_lost = -0.618
sentence exchanged = 0.143; sentence exchanged*nearness = 0.235; sentence exchanged*unchanged = 0.650
sentence gone_words = 0.141; sentence grams = 0.105; sentence includes_added = 0.632
sentence includes_added*nearness = 0.560; sentence includes_lost = 0.708; sentence longer = -0.204
sentence lost_for_nothing = 0.234; sentence lost_for_nothing*nearness = 0.221; sentence moved = 2.170
sentence odd = 0.096; sentence odd*nearness = 0.176; sentence odd*unchanged = 0.467
sentence odd_with_softeners = 0.103; sentence other_length = -0.228; sentence permits_added = 0.122
sentence permits_added*nearness = -0.186; sentence permits_lost*nearness = -0.252; sentence put_in = -0.078
sentence put_in*nearness = -0.102; sentence put_in*unchanged = -0.544; sentence replaced = -0.027
sentence replaced*nearness = -0.057; sentence replaced*unchanged = 0.279; sentence requires_added*nearness = -0.394
sentence restriction_added*nearness = -0.237; sentence restriction_added*unchanged = -1.698; sentence restriction_lost = 0.182
sentence restriction_lost*unchanged = 1.102; sentence softened_cut*unchanged = 0.646; sentence softeners_added = -0.040
sentence softeners_added*nearness = -0.134; sentence softeners_lost*unchanged = 0.362; sentence supposes_added = -0.256
sentence supposes_lost = 0.300; sentence unchanged = 1.171; softeners_added*nearness = -0.088
softeners_lost = 0.063; softeners_lost*nearness = 0.133; supposes_lost = 0.326
surely_opposed = 0.823; surely_opposed*nearness = 0.671; unchanged = 0.492
"""),
)
