-- SPDX-License-Identifier: GPL-2.0-or-later
-- History: one row for each kernel of a session, workload and metric, kept beside the raw samples:
-- what `rig history` reads, and what stays when old samples are dropped. Computed from samples;
-- import makes it again, and so does the migration to this version.

CREATE TABLE series (
	id INTEGER PRIMARY KEY,
	board INTEGER NOT NULL REFERENCES board (id),
	suite TEXT NOT NULL,
	profile TEXT NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	unit TEXT NOT NULL,		-- as the newest plan has it; '' = never in a plan
	direction TEXT NOT NULL CHECK (direction IN ('none', 'higher', 'lower')),
	is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
	UNIQUE (board, suite, profile, workload, metric)
) STRICT;

-- In order of sessions, not of series: an import then writes one range of pages instead of one
-- page for each of its hundreds of series. A history finds its sessions by session_by_board.
CREATE TABLE point (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	series INTEGER NOT NULL REFERENCES series (id),
	kernel_idx INTEGER NOT NULL,
	n INTEGER NOT NULL,		-- counted boots
	mean REAL NOT NULL,
	sd REAL NOT NULL,		-- between boots; 0 for n = 1
	PRIMARY KEY (session, series, kernel_idx)
) STRICT, WITHOUT ROWID;

DROP INDEX session_by_board;
CREATE INDEX session_by_board ON session (board, suite, profile, started);

-- When the raw samples were dropped (ms); 0 = they are here, and the verdict can be replayed.
ALTER TABLE session ADD COLUMN pruned INTEGER NOT NULL DEFAULT 0;

-- For `rig query`: names instead of numbers, times as text.
CREATE VIEW v_session AS
SELECT s.name AS session, datetime(s.started / 1000, 'unixepoch') AS started, s.suite, s.profile,
	b.name AS board, b.serial, s.state, s.result, s.pruned > 0 AS pruned, s.user, s.host,
	(SELECT count(*) FROM boot WHERE session = s.id) AS boots
FROM session s JOIN board b ON b.id = s.board;

CREATE VIEW v_sample AS
SELECT s.name AS session, datetime(s.started / 1000, 'unixepoch') AS started, b.name AS board,
	s.suite, s.profile, sk.label AS kernel, k.release, v.visit, v.pair,
	v.warmup = 0 AND v.control = 0 AND v.result = 'ok' AS counted, w.name AS workload,
	m.name AS metric, x.value
FROM session s JOIN board b ON b.id = s.board JOIN boot v ON v.session = s.id
	JOIN session_kernel sk ON sk.session = s.id AND sk.idx = v.kernel_idx
	JOIN kernel k ON k.id = sk.kernel JOIN run r ON r.boot = v.id
	JOIN workload w ON w.id = r.workload JOIN sample x ON x.run = r.id
	JOIN metric m ON m.id = x.metric;

CREATE VIEW v_point AS
SELECT s.name AS session, datetime(s.started / 1000, 'unixepoch') AS started, b.name AS board,
	s.suite, s.profile, w.name AS workload, m.name AS metric, sk.label AS kernel, k.release,
	p.n, p.mean, p.sd, r.unit, r.direction
FROM point p JOIN session s ON s.id = p.session JOIN series r ON r.id = p.series
	JOIN board b ON b.id = r.board JOIN workload w ON w.id = r.workload
	JOIN metric m ON m.id = r.metric
	JOIN session_kernel sk ON sk.session = s.id AND sk.idx = p.kernel_idx
	JOIN kernel k ON k.id = sk.kernel;

CREATE VIEW v_verdict AS
SELECT s.name AS session, datetime(s.started / 1000, 'unixepoch') AS started, b.name AS board,
	s.suite, s.profile, v.label AS candidate, v.result, v.blame, v.code, v.pairs, v.reason
FROM verdict v JOIN session s ON s.id = v.session JOIN board b ON b.id = s.board;
