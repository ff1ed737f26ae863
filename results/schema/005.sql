-- SPDX-License-Identifier: GPL-2.0-or-later
-- History: one row for each kernel of a session and metric, kept beside the raw samples so that a
-- query over years reads one short range. Computed from samples; import makes it again.

CREATE TABLE series (
	id INTEGER PRIMARY KEY,
	board INTEGER NOT NULL REFERENCES board (id),
	suite TEXT NOT NULL,
	profile TEXT NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	unit TEXT NOT NULL,
	direction TEXT NOT NULL,
	is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
	UNIQUE (board, suite, profile, workload, metric)
) STRICT;

CREATE TABLE point (
	series INTEGER NOT NULL REFERENCES series (id) ON DELETE CASCADE,
	started INTEGER NOT NULL,	-- of the session
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	kernel_idx INTEGER NOT NULL,
	n INTEGER NOT NULL,		-- counted boots
	mean REAL NOT NULL,
	sd REAL NOT NULL,		-- between boots; 0 for n = 1
	PRIMARY KEY (series, started, session, kernel_idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_by_session ON point (session);
