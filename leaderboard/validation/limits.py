"""What a submission may be. A thousand runs on 5,000 strings fit; nothing that takes minutes or gigabytes to refuse does."""

from typing import Final

MIB: Final = 1 << 20

MOST_RUNS: Final = 1_000
MOST_RESULTS: Final = 200

DESCRIPTION_BYTES: Final = MIB
RECORD_BYTES, RECORD_BYTES_A_RUN = MIB, MIB // 8
"""Of result.json."""

SAMPLES_BYTES, SAMPLES_BYTES_A_RUN = MIB, MIB // 2
"""Of samples.parquet: a thousand runs on 5,000 strings that compress badly take 95 MB."""

ERRORS_BYTES: Final = 16 * MIB

MOST_LEVELS: Final = 24
"""Of JSON; what we write has eight."""

VALUES, VALUES_A_RUN = 100_000, 10_000
"""Commas in result.json."""

MOST_DIGITS: Final = 40
"""Of a number."""

LONGEST_TEXT: Final = 2_000
"""Characters of any text in a record."""

MEMORY: Final = 4 << 30
"""So many more bytes may a check take."""
