"""Pairs of statements that say one value in two notations."""

from __future__ import annotations

from evolore.domain.language import Language

EN, JA, ZH = Language.EN, Language.JA, Language.ZH

SAME = [
    (EN, "My talk takes 90 minutes.", "My talk takes 1.5 hours."),
    (EN, "My shift is two and a half hours.", "My shift is 2.5 hours."),
    (EN, "My shift is two and a half hours.", "My shift is 150 minutes."),
    (EN, "The order has two dozen eggs.", "The order has 24 eggs."),
    (EN, "The box holds a dozen eggs.", "The box holds 12 eggs."),
    (EN, "The hall seats a hundred people.", "The hall seats 100 people."),
    (EN, "The debt is two trillion yen.", "The debt is 2,000,000,000,000 yen."),
    (EN, "The walk takes half an hour.", "The walk takes 30 minutes."),
    (EN, "The walk takes an hour and a half.", "The walk takes 90 minutes."),
    (EN, "The lease ends on 25/12/2026.", "The lease ends on 25 December 2026."),
    (EN, "The lease ends on 3.5.2026.", "The lease ends on May 3, 2026."),
    (EN, "The office opens on 05/03/2026.", "The office opens on 3 May 2026."),
    (EN, "The office opens on 05/03/2026.", "The office opens on 5 March 2026."),
    (EN, "The sale opens in spring 2026.", "The sale opens in the spring of 2026."),
    (EN, "My shift starts at 9.", "My shift starts at 9:00."),
    (EN, "My shift starts at 6:30 p.m.", "My shift starts at half past six in the evening."),
    (EN, "My rent is $1,200.", "My rent is 1200 dollars."),
    (JA, "私の発表は90分です。", "私の発表は1.5時間です。"),
    (JA, "私の発表は2時間半です。", "私の発表は150分です。"),
    (JA, "家までは半時間です。", "家までは30分です。"),
    (JA, "家賃は壱万円です。", "家賃は10,000円です。"),
    (JA, "家賃は拾万円です。", "家賃は100,000円です。"),
    (JA, "予算は一兆円です。", "予算は1,000,000,000,000円です。"),
    (JA, "卵は2ダースです。", "卵は24個です。"),
    (JA, "会議は2026/12/25です。", "会議は2026年12月25日です。"),
    (JA, "会議は午後3時です。", "会議は15:00です。"),
    (JA, "家には犬が二匹いる。", "家には犬が2匹いる。"),
    (ZH, "我的报告要90分钟。", "我的报告要1.5小时。"),
    (ZH, "我的报告要两个半小时。", "我的报告要2.5小时。"),
    (ZH, "走路要半小时。", "走路要30分钟。"),
    (ZH, "我的预算是一兆元。", "我的预算是1000000000000元。"),
    (ZH, "我买了两打鸡蛋。", "我买了24个鸡蛋。"),
    (ZH, "我的合同25/12/2026到期。", "我的合同2026年12月25日到期。"),
    (ZH, "我的课下午三点开始。", "我的课15:00开始。"),
]
