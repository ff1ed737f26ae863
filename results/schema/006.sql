-- SPDX-License-Identifier: GPL-2.0-or-later
-- The daemon's memory: jobs, leases, boards, and who changed what. Which state may follow which is
-- one table of the daemon (rig/rigd/states.c); times are ms since 1970, 0 = not (yet).

CREATE TABLE job (
	id INTEGER PRIMARY KEY AUTOINCREMENT,	-- never given twice
	state TEXT NOT NULL CHECK (state IN
		('queued', 'starting', 'running', 'ending', 'done', 'cancelled')),
	priority INTEGER NOT NULL,		-- higher comes first
	board TEXT NOT NULL,			-- the one that is wanted; '' = any of the type
	type TEXT NOT NULL,			-- of board
	submitted INTEGER NOT NULL,
	deadline INTEGER NOT NULL,		-- not to be started after it
	requester TEXT NOT NULL,
	uid INTEGER NOT NULL,
	title TEXT NOT NULL,			-- for people
	identity TEXT NOT NULL,			-- what is measured: hash of board, kernels, suite
	plan TEXT NOT NULL,			-- JSON, the board's name left open
	session TEXT NOT NULL,			-- from starting on
	ran_on TEXT NOT NULL,			-- the same: a board's name
	started INTEGER NOT NULL,
	ended INTEGER NOT NULL,
	cancelled_by TEXT NOT NULL,		-- '' = nobody has asked for it
	verdict TEXT NOT NULL,			-- PASS FAIL INCONCLUSIVE INVALID NONE; '' = none yet
	reason TEXT NOT NULL			-- why it was cancelled, or could not be run
) STRICT;
CREATE INDEX job_by_state ON job (state, priority DESC, id);
CREATE INDEX job_by_identity ON job (identity, id);
CREATE INDEX job_by_session ON job (session);

-- A board that somebody has for himself, until then. One of them a board.
CREATE TABLE lease (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	board TEXT NOT NULL UNIQUE,
	owner TEXT NOT NULL,
	uid INTEGER NOT NULL,
	reason TEXT NOT NULL CHECK (reason <> ''),
	taken INTEGER NOT NULL,
	expires INTEGER NOT NULL,
	ttl_ms INTEGER NOT NULL CHECK (ttl_ms > 0)
) STRICT;

CREATE TABLE board_state (
	name TEXT PRIMARY KEY,
	type TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('unknown', 'safe', 'busy', 'drained', 'quarantined')),
	hold TEXT NOT NULL CHECK (hold IN ('', 'drained', 'quarantined')), -- asked for
	since INTEGER NOT NULL,
	reason TEXT NOT NULL,			-- of the hold, or why it is unknown
	job INTEGER NOT NULL			-- that runs on it; 0 = none
) STRICT, WITHOUT ROWID;

-- Every change that somebody asked for, and every step of job and board.
CREATE TABLE audit (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	at INTEGER NOT NULL,
	who TEXT NOT NULL,			-- a user, or rigd
	uid INTEGER NOT NULL,			-- -1 = the daemon itself
	verb TEXT NOT NULL,
	object TEXT NOT NULL,			-- "job 12", "board virt-ufs"
	detail TEXT NOT NULL
) STRICT;
CREATE INDEX audit_by_object ON audit (object, id);

CREATE VIEW v_job AS
SELECT id, state, priority, coalesce(nullif(ran_on, ''), nullif(board, ''), type) AS board,
	datetime(submitted / 1000, 'unixepoch') AS submitted,
	CASE WHEN started > 0 THEN datetime(started / 1000, 'unixepoch') END AS started,
	CASE WHEN ended > 0 THEN datetime(ended / 1000, 'unixepoch') END AS ended,
	requester, title, session, verdict, reason
FROM job;
