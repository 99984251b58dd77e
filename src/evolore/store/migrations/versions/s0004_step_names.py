"""Note which ids the steps of jobs name, so that forgetting need not read every step."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

_ID = re.compile(r"(?<![0-9a-z])[0-9a-hjkmnp-tv-z]{26}(?![0-9a-z])")
_BATCH = 500


def upgrade() -> None:
    """Apply the step."""
    names = op.create_table(
        "evolution_step_names",
        sa.Column("ns", sa.Integer(), nullable=False),
        sa.Column("named_id", sa.String(), nullable=False),
        sa.Column("job_id", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("ns", "named_id", "job_id"),
        comment="Every id that stands in the steps of a job: what is forgotten takes with it the steps that name it",
    )
    op.create_index("evolution_step_names_by_job", "evolution_step_names", ["ns", "job_id"])
    connection = op.get_bind()
    jobs = connection.execute(sa.text("select distinct ns, job_id from evolution_steps order by ns, job_id")).all()
    for ns, job_id in jobs:
        these = sa.text("select body from evolution_steps where ns = :ns and job_id = :job_id")
        bodies = connection.execute(these, {"ns": ns, "job_id": job_id}).scalars()
        found = sorted({id_ for body in bodies for id_ in _ID.findall(body)})
        for start in range(0, len(found), _BATCH):
            rows = [{"ns": ns, "named_id": id_, "job_id": job_id} for id_ in found[start : start + _BATCH]]
            connection.execute(sa.insert(names), rows)
