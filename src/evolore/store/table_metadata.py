"""What every table is gathered in, in whichever file it is written."""

from __future__ import annotations

from sqlalchemy import MetaData

metadata = MetaData()
