"""What numbers are counted per, in groups: an hour is another one than a day, a person none than a member."""

from __future__ import annotations

from decimal import Decimal

from evolore.text.protected.quantities import Quantity
from evolore.text.protected.rates_beside import SAME_PERIOD
from evolore.text.protected.sides import PERIODS
from evolore.text.protected.units import unit_at

_COUNTED_PER = (
    frozenset(
        [
            "person",
            "people",
            "head",
            "guest",
            "customer",
            "user",
            "employee",
            "member",
            "visitor",
            "participant",
            "student",
            "applicant",
            "人",
            "客",
            "名",
            "员工",
            "会员",
            "用户",
            "学生",
            "社員",
            "会員",
        ]
    ),
    frozenset(
        [
            "order",
            "transaction",
            "invoice",
            "application",
            "request",
            "call",
            "booking",
            "件",
            "单",
            "笔",
            "次",
            "注文",
            "申請",
            "依頼",
            "订单",
            "回",
            "time",
        ]
    ),
    frozenset(
        [
            "account",
            "household",
            "room",
            "team",
            "company",
            "device",
            "vehicle",
            "machine",
            "台",
            "户",
            "室",
            "社",
            "队",
            "チーム",
            "部屋",
            "房间",
            "本",
        ]
    ),
)


def counted_per(noun: str) -> str:
    """Give what stands for the group a noun belongs to: a period of time or a unit by itself; nothing for others."""
    noun = SAME_PERIOD.get(noun, noun)
    if noun in PERIODS:
        return f"per {noun}"
    group = next((str(number) for number, group in enumerate(_COUNTED_PER) if noun in group), "")
    unit = unit_at(noun, 0)[0]
    return group or (
        f"per {unit}" if Quantity(Decimal(1), unit.partition("*")[0]).family != unit or "*" in unit else ""
    )


def is_measure(group: str) -> bool:
    """Tell whether a group is a period of time or a unit."""
    return group.startswith("per ")
