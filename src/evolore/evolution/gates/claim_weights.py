"""What the signs of a turned claim weigh: written by ``python benchmarks/fit_gates.py --write``, not by hand."""

from __future__ import annotations

from evolore.evolution.gates.claim_scores import ClaimWeights


def _read(table: str) -> dict[str, float]:
    cells = [cell.split(" = ") for cell in table.replace("\n", ";").split(";") if cell.strip()]
    return {name.strip(): float(weight) for name, weight in cells}


BY_MEANING = ClaimWeights(
    offset=-0.265,
    refuse=2.953,
    doubt=1.436,
    weights=_read("""
absents_added = -0.278; absents_lost = 0.243; added_for_nothing*fewer_in_all = 0.513
added_for_nothing*mutual = 0.273; added_for_nothing*sentence_odd = 0.245; added_for_nothing*unchanged = 2.794
added_for_nothing*words = 0.523; ahead = -0.162; alike = -0.164
allowed_instead = 0.289; anchors = 0.055; anchors_turned*mutual = 0.175
anchors_turned*words = 0.218; asks = -0.942; both_deny = -0.184
conditions_added*nearness = -0.176; denial_added = -0.280; denial_added*second = -0.528
denial_lost*sentence_odd = 0.252; denials_apart = 0.094; denials_cut = -0.096
denials_cut*nearness = -0.126; denials_in_all = -0.054; eased = 1.185
eased*nearness = 1.289; eases_added = 0.452; eases_lost = -0.519
exchanged = 0.556; exchanged*nearness = 0.909; exchanged*unchanged = 0.840
freed*nearness = 0.978; gone_words = -0.218; heading = -0.740
includes_added = 1.050; includes_added*nearness = 1.000; includes_lost = 0.284
kept = 1.988; left_out = -0.072; left_out*nearness = -0.106
left_out*unchanged = -0.571; longer = 0.246; lost_for_nothing = 0.116
lost_for_nothing*fewer_in_all = 0.206; lost_for_nothing*mutual = 0.235; lost_for_nothing*nearness = 0.264
lost_for_nothing*score = 0.202; lost_for_nothing*second = 0.356; lost_for_nothing*sentence_odd = 0.371
lost_for_nothing*words = 0.282; nearness = -0.406; new_words = 0.342
none_denies = 0.094; odd = -0.094; odd*second = -0.257
odd*unchanged = 0.627; odd_with_softeners = 0.131; opposed = 0.493
opposed*nearness = 0.518; other_length = -0.387; permits_added = 0.316
put_in = 0.054; replaced = 0.114; replaced*unchanged = 0.661
requires_added = 0.131; restriction_added*unchanged = -1.539; restriction_lost = 0.270
restriction_lost*nearness = 0.706; score = -0.140; sentence absents_added = 0.164
sentence added_for_nothing = -0.247; sentence added_for_nothing*unchanged = 3.415; sentence allowed_instead = 0.234
sentence allowed_instead*nearness = 0.205; sentence conditions_added*nearness = -0.159; sentence denials_cut = -0.081
sentence denials_cut*nearness = -0.137; sentence denials_cut*unchanged = 0.665; sentence doubles_lost = -0.583
sentence exchanged*nearness = 0.338; sentence exchanged*unchanged = 0.857; sentence grams = 0.233
sentence includes_added = 0.561; sentence includes_added*nearness = 0.537; sentence includes_lost = 0.657
sentence includes_lost*nearness = 0.498; sentence longer = -0.162; sentence lost_for_nothing = 0.216
sentence lost_for_nothing*nearness = 0.339; sentence moved = 2.042; sentence nearness = -0.406
sentence odd = 0.100; sentence odd*nearness = 0.153; sentence odd*unchanged = 0.466
sentence odd_with_softeners = 0.082; sentence other_length = -0.246; sentence permits_added = 0.114
sentence permits_added*nearness = -0.149; sentence permits_lost*nearness = -0.309; sentence put_in = -0.044
sentence put_in*nearness = -0.126; sentence put_in*unchanged = -0.591; sentence replaced = -0.029
sentence replaced*nearness = -0.105; sentence replaced*unchanged = 0.275; sentence requires_added*nearness = -0.350
sentence restriction_added*unchanged = -1.808; sentence restriction_lost*unchanged = 1.144; sentence softened_cut*unchanged = 0.553
sentence softeners_added = -0.058; sentence softeners_added*nearness = -0.144; sentence softeners_lost*unchanged = 0.375
sentence supposes_added = -0.210; sentence supposes_lost = 0.173; sentence unchanged = 1.121
softened_cut = 0.073; softeners_lost = 0.068; supposes_lost = 0.468
surely_opposed = 0.686; surely_opposed*nearness = 0.762; unchanged = 0.494
"""),
)


BY_WORDS = ClaimWeights(
    offset=-1.053,
    refuse=3.253,
    doubt=1.317,
    weights=_read("""
absents_added = -0.319; added_for_nothing*mutual = 0.350; added_for_nothing*nearness = 0.432
added_for_nothing*score = 0.321; added_for_nothing*unchanged = 2.014; added_for_nothing*words = 0.536
alike = -0.325; allowed_instead = 0.241; anchors_turned*sentence_odd = 0.140
anchors_turned*words = 0.233; asks = -0.927; both_deny = -0.233
conditions_added*nearness = -0.145; denial_added = -0.265; denial_added*sentence_odd = -0.200
denial_lost*sentence_odd = 0.218; denials_apart = 0.110; denials_cut = -0.156
denials_in_all = -0.050; eased = 1.326; eased*nearness = 1.326
eases_lost = -0.552; exchanged = 0.627; exchanged*nearness = 1.029
exchanged*unchanged = 0.784; freed = 0.413; freed*nearness = 0.710
gone_words = -0.100; heading = -0.799; includes_added = 1.141
includes_added*nearness = 0.971; includes_lost = 0.479; kept = 2.106
left_out = -0.077; left_out*nearness = -0.105; left_out*unchanged = -0.571
longer = 0.172; lost_for_nothing = 0.137; lost_for_nothing*fewer_in_all = 0.226
lost_for_nothing*grams = 0.303; lost_for_nothing*mutual = 0.220; lost_for_nothing*nearness = 0.261
lost_for_nothing*score = 0.200; lost_for_nothing*sentence_odd = 0.382; lost_for_nothing*words = 0.239
mutual = -0.105; new_words = 0.401; none_denies = 0.105
odd = -0.059; odd*second = -0.412; odd*unchanged = 0.538
odd_with_softeners = 0.137; opposed = 0.613; opposed*nearness = 0.409
other_length = -0.254; permits_added = 0.316; permits_lost*nearness = -0.256
put_in = 0.069; replaced = 0.086; replaced*nearness = 0.124
replaced*unchanged = 0.572; requires_added = 0.172; restriction_lost = 0.234
restriction_lost*nearness = 0.609; second = 0.186; sentence absents_added = 0.234
sentence added_for_nothing*unchanged = 3.275; sentence allowed_instead = 0.234; sentence allowed_instead*nearness = 0.203
sentence conditions_added*nearness = -0.168; sentence denial_added = -0.156; sentence denials_cut = -0.084
sentence denials_cut*nearness = -0.099; sentence denials_cut*unchanged = 0.610; sentence doubles_lost = -0.632
sentence exchanged = 0.144; sentence exchanged*nearness = 0.238; sentence exchanged*unchanged = 0.660
sentence gone_words = 0.143; sentence grams = 0.105; sentence includes_added = 0.630
sentence includes_added*nearness = 0.554; sentence includes_lost = 0.709; sentence longer = -0.202
sentence lost_for_nothing = 0.231; sentence lost_for_nothing*nearness = 0.220; sentence moved = 2.173
sentence odd = 0.107; sentence odd*nearness = 0.191; sentence odd*unchanged = 0.488
sentence odd_with_softeners = 0.107; sentence other_length = -0.227; sentence permits_added = 0.121
sentence permits_added*nearness = -0.188; sentence permits_lost*nearness = -0.255; sentence put_in = -0.077
sentence put_in*nearness = -0.101; sentence put_in*unchanged = -0.542; sentence replaced = -0.028
sentence replaced*nearness = -0.058; sentence replaced*unchanged = 0.281; sentence requires_added*nearness = -0.397
sentence restriction_added*nearness = -0.250; sentence restriction_added*unchanged = -1.856; sentence restriction_lost = 0.181
sentence restriction_lost*unchanged = 1.100; sentence softened_cut*unchanged = 0.633; sentence softeners_added = -0.042
sentence softeners_added*nearness = -0.137; sentence softeners_lost*unchanged = 0.382; sentence supposes_added = -0.262
sentence supposes_lost = 0.295; sentence unchanged = 1.171; softeners_added*nearness = -0.093
softeners_lost = 0.065; softeners_lost*nearness = 0.137; supposes_lost = 0.321
surely_opposed = 0.821; surely_opposed*nearness = 0.670; unchanged = 0.492
"""),
)
