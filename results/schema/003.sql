-- SPDX-License-Identifier: GPL-2.0-or-later
-- A/A calibration: what a board's own noise is, from sessions that compared a kernel with itself.

-- The lab's row of the board as the job read it, "key=value" a line; '' = not told.
ALTER TABLE session ADD COLUMN setup TEXT NOT NULL DEFAULT '';

CREATE TABLE calibration (
	id INTEGER PRIMARY KEY,
	board INTEGER NOT NULL REFERENCES board (id),
	suite TEXT NOT NULL,
	profile TEXT NOT NULL,
	suite_hash TEXT NOT NULL,
	-- what must not change while it holds, besides board, suite and profile
	host TEXT NOT NULL,
	setup TEXT NOT NULL,		-- as in session
	fingerprint TEXT NOT NULL,	-- of one boot: tools, tuned state
	rig_version TEXT NOT NULL,
	made INTEGER NOT NULL,
	newest TEXT NOT NULL,		-- name of the newest session it rests on
	sessions INTEGER NOT NULL,	-- A/A sessions it rests on
	gated INTEGER NOT NULL,		-- of them judged by the gate ...
	failed INTEGER NOT NULL,	-- ... and failed: false alarms
	ks_p REAL NOT NULL,		-- Kolmogorov over all workloads: are the p-values uniform?
	withdrawn TEXT NOT NULL		-- why a person withdrew it; '' = not
) STRICT;
CREATE INDEX calibration_by_board ON calibration (board, suite, profile, made);

CREATE TABLE calibration_series (
	calibration INTEGER NOT NULL REFERENCES calibration (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	pairs INTEGER NOT NULL,
	d0 REAL NOT NULL,		-- degrees of freedom of the prior
	s0sq REAL NOT NULL,		-- variance of one log ratio
	ks_p REAL NOT NULL,		-- the same of this workload alone
	n_p INTEGER NOT NULL,		-- p-values it rests on
	mde REAL NOT NULL,		-- loss found with 80 % power at the suite's most pairs
	mde_pairs INTEGER NOT NULL,
	pairs_needed INTEGER NOT NULL,	-- for the suite's own loss; -1 = more than 1000
	PRIMARY KEY (calibration, workload, metric)
) STRICT, WITHOUT ROWID;

-- The prior that a session was judged with, so that its verdict can be computed again.
CREATE TABLE session_prior (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	d0 REAL NOT NULL,
	s0sq REAL NOT NULL,
	made INTEGER NOT NULL,		-- of the calibration
	PRIMARY KEY (session, workload, metric)
) STRICT, WITHOUT ROWID;
