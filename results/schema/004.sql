-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the sanity rules say about a session's numbers, and numbers that others published.

CREATE TABLE anomaly (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	rule TEXT NOT NULL,
	severity TEXT NOT NULL CHECK (severity IN ('OK', 'INFO', 'WARN', 'ERROR')),
	place TEXT NOT NULL,		-- file, line, visit or table
	subject TEXT NOT NULL,
	printed TEXT NOT NULL,
	expected TEXT NOT NULL,
	message TEXT NOT NULL,
	PRIMARY KEY (session, idx)
) STRICT, WITHOUT ROWID;

-- A value as it was printed, and in the canonical unit.
CREATE TABLE literature (
	id INTEGER PRIMARY KEY,
	source TEXT NOT NULL,		-- the document
	line INTEGER NOT NULL,		-- of the imported file
	board TEXT NOT NULL,
	workload TEXT NOT NULL,
	variant TEXT NOT NULL,
	metric TEXT NOT NULL,
	printed TEXT NOT NULL,
	printed_unit TEXT NOT NULL,
	value REAL,			-- NULL = not a number
	unit TEXT NOT NULL,		-- canonical
	n_runs INTEGER NOT NULL,	-- 0 = not said
	note TEXT NOT NULL,
	UNIQUE (source, board, workload, variant, metric, line)
) STRICT;
CREATE INDEX literature_by_table ON literature (source, board, workload);
