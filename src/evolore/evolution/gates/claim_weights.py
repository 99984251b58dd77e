"""What the signs of a turned claim weigh: written by ``python benchmarks/fit_gates.py --write``, not by hand."""

from __future__ import annotations

from evolore.evolution.gates.claim_scores import ClaimWeights


def _read(table: str) -> dict[str, float]:
    cells = [cell.split(" = ") for cell in table.replace("\n", ";").split(";") if cell.strip()]
    return {name.strip(): float(weight) for name, weight in cells}


BY_MEANING = ClaimWeights(
    offset=-0.584,
    refuse=3.369,
    doubt=1.692,
    weights=_read("""
absents_added = -0.310; added_for_nothing = -0.220; added_for_nothing*fewer_in_all = 0.751
added_for_nothing*grams = 0.992; added_for_nothing*words = 0.701; ahead = -0.232
allowed_instead = 0.235; allowed_instead*nearness = 0.369; anchors = 0.089
anchors_turned*words = 0.342; asks = -1.288; both_deny = -0.192
denial_added = -0.219; denial_added*second = -0.447; denial_added*unchanged = 2.199
denial_lost*fewer_in_all = 0.159; denial_lost*sentence_odd = 0.241; denials_apart = 0.103
denials_cut = -0.141; denials_cut*nearness = -0.098; denials_in_all = -0.062
eased = 1.005; eased*nearness = 1.103; eases_added = 0.915
eases_lost = -0.401; exchanged = 0.669; exchanged*nearness = 1.086
exchanged*unchanged = 1.140; fewer_in_all = 0.133; freed*nearness = 1.137
gone_words = -0.214; grams = 0.117; heading = -0.881
includes_added = 1.161; includes_added*nearness = 0.807; includes_lost = 0.356
kept = 2.303; left_out = -0.086; left_out*unchanged = -0.527
longer = 0.282; lost_for_nothing*fewer_in_all = 0.216; lost_for_nothing*mutual = 0.255
lost_for_nothing*nearness = 0.323; lost_for_nothing*score = 0.195; lost_for_nothing*second = 0.294
lost_for_nothing*sentence_odd = 0.415; lost_for_nothing*words = 0.353; nearness = -0.415
new_words = 0.332; none_denies = 0.141; odd = -0.074
odd*second = -0.309; odd*unchanged = 0.599; odd_with_softeners = 0.197
opposed = 0.597; opposed*nearness = 0.505; other_length = -0.478
permits_added = 0.376; put_in = 0.047; put_in*unchanged = -0.322
replaced = 0.157; replaced*unchanged = 0.487; requires_added = 0.206
requires_lost*unchanged = 1.427; restriction_added = 0.272; restriction_added*unchanged = -2.403
restriction_lost = 0.348; restriction_lost*nearness = 0.737; score = -0.164
second = 0.245; sentence added_for_nothing = -0.445; sentence added_for_nothing*unchanged = 1.218
sentence alike = 0.225; sentence allowed_instead = 0.204; sentence conditions_added*nearness = -0.244
sentence conditions_added*unchanged = -0.670; sentence denials_cut*nearness = -0.139; sentence denials_cut*unchanged = 0.853
sentence doubles_lost = -0.253; sentence exchanged*unchanged = 1.248; sentence grams = 0.271
sentence includes_added = 0.551; sentence includes_added*nearness = 0.439; sentence includes_lost = 0.673
sentence left_out*unchanged = -0.199; sentence longer = -0.104; sentence lost_for_nothing = 0.168
sentence lost_for_nothing*nearness = 0.371; sentence moved = 2.317; sentence nearness = -0.415
sentence new_words = 0.072; sentence none_denies = 0.100; sentence odd = 0.133
sentence odd*nearness = 0.167; sentence odd*unchanged = 0.554; sentence one_sided = 0.055
sentence other_length = -0.302; sentence permits_added*nearness = -0.175; sentence permits_lost*unchanged = 0.298
sentence put_in = -0.061; sentence put_in*nearness = -0.141; sentence put_in*unchanged = -0.643
sentence replaced = -0.044; sentence replaced*nearness = -0.165; sentence requires_added*nearness = -0.251
sentence requires_lost = 0.240; sentence requires_lost*unchanged = -1.304; sentence restriction_added*unchanged = -1.446
sentence restriction_lost*unchanged = 1.343; sentence softened_cut*nearness = -0.043; sentence softened_cut*unchanged = 1.256
sentence softeners_added*nearness = -0.125; sentence softeners_added*unchanged = -0.719; sentence unchanged = 1.049
softeners_added = 0.117; softeners_lost*unchanged = 0.900; supposes_lost = 0.672
surely_opposed = 0.865; surely_opposed*nearness = 0.839; unchanged = 0.423
"""),
)


BY_WORDS = ClaimWeights(
    offset=-1.024,
    refuse=3.514,
    doubt=1.656,
    weights=_read("""
absents_added = -0.392; added_for_nothing*fewer_in_all = 0.482; added_for_nothing*words = 0.964
ahead = -0.092; alike = -0.267; allowed_instead = 0.292
anchors = 0.058; anchors_turned*sentence_odd = 0.148; anchors_turned*words = 0.271
asks = -1.274; both_deny = -0.245; denial_added*sentence_odd = -0.302
denial_added*unchanged = 2.754; denial_lost*fewer_in_all = 0.154; denial_lost*second = -0.295
denial_lost*sentence_odd = 0.233; denials_apart = 0.150; denials_cut = -0.185
denials_in_all = -0.062; eased = 1.147; eased*nearness = 1.074
eases_added = 0.902; eases_lost = -0.747; exchanged = 0.817
exchanged*nearness = 1.256; exchanged*unchanged = 1.000; fewer_in_all = 0.115
freed*nearness = 1.104; gone_words = -0.148; heading = -0.936
includes_added = 1.294; includes_added*nearness = 0.704; kept = 2.288
left_out = -0.079; left_out*nearness = -0.065; left_out*unchanged = -0.441
longer = 0.211; lost_for_nothing*fewer_in_all = 0.224; lost_for_nothing*mutual = 0.308
lost_for_nothing*nearness = 0.337; lost_for_nothing*score = 0.242; lost_for_nothing*sentence_odd = 0.476
lost_for_nothing*words = 0.341; moved = -0.555; mutual = -0.120
new_words = 0.437; none_denies = 0.127; odd = -0.084
odd*second = -0.420; odd*unchanged = 0.612; odd_with_softeners = 0.211
opposed = 0.702; other_length = -0.283; permits_added = 0.373
put_in = 0.065; put_in*unchanged = -0.292; replaced = 0.093
replaced*nearness = 0.144; replaced*unchanged = 0.430; requires_added = 0.239
requires_lost*nearness = 0.550; requires_lost*unchanged = 1.059; restriction_added = 0.507
restriction_added*unchanged = -2.424; restriction_lost*nearness = 0.734; second = 0.286
sentence allowed_instead = 0.267; sentence both_deny = -0.102; sentence conditions_added*nearness = -0.244
sentence conditions_added*unchanged = -0.685; sentence conditions_lost = 0.084; sentence denial_added = -0.143
sentence denials_cut = -0.078; sentence denials_cut*unchanged = 0.786; sentence doubles_lost = -0.547
sentence exchanged*unchanged = 0.938; sentence grams = 0.216; sentence includes_added = 0.604
sentence includes_added*nearness = 0.412; sentence includes_lost = 0.709; sentence left_out*unchanged = -0.164
sentence longer = -0.123; sentence lost_for_nothing = 0.164; sentence lost_for_nothing*nearness = 0.255
sentence lost_for_nothing*unchanged = 0.469; sentence moved = 2.609; sentence new_words = 0.133
sentence none_denies = 0.075; sentence odd = 0.110; sentence odd*unchanged = 0.593
sentence one_sided = 0.036; sentence other_length = -0.305; sentence permits_added*nearness = -0.251
sentence permits_lost*nearness = -0.322; sentence permits_lost*unchanged = 0.893; sentence put_in = -0.105
sentence put_in*nearness = -0.104; sentence put_in*unchanged = -0.606; sentence replaced = -0.054
sentence replaced*nearness = -0.121; sentence requires_added*nearness = -0.281; sentence requires_lost*unchanged = -1.238
sentence restriction_added*nearness = -0.136; sentence restriction_added*unchanged = -1.453; sentence restriction_lost = 0.159
sentence restriction_lost*nearness = 0.247; sentence restriction_lost*unchanged = 1.376; sentence softened_cut*nearness = -0.075
sentence softened_cut*unchanged = 1.305; sentence softeners_added*nearness = -0.102; sentence softeners_added*unchanged = -0.652
sentence softeners_lost = 0.096; sentence supposes_added = -0.214; sentence supposes_lost = 0.345
sentence unchanged = 1.135; softeners_lost*unchanged = 0.803; supposes_lost = 0.308
surely_opposed = 1.082; surely_opposed*nearness = 0.783; unchanged = 0.471
"""),
)
