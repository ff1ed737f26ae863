-- SPDX-License-Identifier: GPL-2.0-or-later
-- Sessions, boots, runs, samples, kernel log findings, faults and verdicts.
--
-- Times are ms since 1970 (UTC) unless the name says otherwise; values are in the canonical unit
-- of their metric (bytes/s, ns, count, per cent). Every run is kept; averages are computed.
-- Names that repeat (metrics, workloads, kernels, boards) are rows of their own, so that a sample
-- is two integers and a REAL.

CREATE TABLE board (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL,
	serial TEXT NOT NULL,
	model TEXT NOT NULL,
	UNIQUE (name, serial, model)
) STRICT;

CREATE TABLE kernel (
	id INTEGER PRIMARY KEY,
	hash TEXT NOT NULL,		-- identity of the build
	series TEXT NOT NULL,
	variant TEXT NOT NULL,
	release TEXT NOT NULL,		-- uname -r
	arch TEXT NOT NULL,
	patches_hash TEXT NOT NULL,
	config_hash TEXT NOT NULL,
	compiler TEXT NOT NULL,
	UNIQUE (hash, series, variant)
) STRICT;

CREATE TABLE workload (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE metric (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE session (
	id INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE,
	dir TEXT NOT NULL,
	started INTEGER NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('running', 'ended')),
	result TEXT NOT NULL,
	user TEXT NOT NULL,
	host TEXT NOT NULL,
	rig_version TEXT NOT NULL,
	suite TEXT NOT NULL,
	suite_hash TEXT NOT NULL,
	profile TEXT NOT NULL,
	notes TEXT NOT NULL,
	board INTEGER NOT NULL REFERENCES board (id),
	pairs_fixed INTEGER NOT NULL,
	pairs_min INTEGER NOT NULL,
	pairs_max INTEGER NOT NULL,
	warmup INTEGER NOT NULL,
	seed INTEGER NOT NULL
) STRICT;
CREATE INDEX session_by_time ON session (started);
CREATE INDEX session_by_board ON session (board, suite, started);

-- The kernels of a session in the order of the plan; 0 is the baseline.
CREATE TABLE session_kernel (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	label TEXT NOT NULL,
	kernel INTEGER NOT NULL REFERENCES kernel (id),
	cmdline TEXT NOT NULL,
	PRIMARY KEY (session, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_kernel_by_kernel ON session_kernel (kernel);

-- What the plan declared: unit and direction of the metrics, and which are gated.
CREATE TABLE session_metric (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	unit TEXT NOT NULL,
	direction TEXT NOT NULL CHECK (direction IN ('none', 'higher', 'lower')),
	is_primary INTEGER NOT NULL CHECK (is_primary IN (0, 1)),
	min_effect REAL NOT NULL,
	loss REAL NOT NULL,
	PRIMARY KEY (session, idx)
) STRICT, WITHOUT ROWID;

-- A visit: one boot of one kernel in which every workload runs once.
CREATE TABLE boot (
	id INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	visit INTEGER NOT NULL,
	kernel_idx INTEGER NOT NULL,
	pair INTEGER NOT NULL,
	position INTEGER NOT NULL,
	warmup INTEGER NOT NULL CHECK (warmup IN (0, 1)),
	control INTEGER NOT NULL CHECK (control IN (0, 1)),
	result TEXT NOT NULL CHECK (result IN ('open', 'ok', 'failed')),
	dir TEXT NOT NULL,
	release TEXT NOT NULL,
	fingerprint TEXT NOT NULL,	-- JSON, '' when there is none
	started INTEGER NOT NULL,
	boot_ms INTEGER NOT NULL,	-- power-on to agent hello; -1 = unknown
	UNIQUE (session, visit)
) STRICT;

CREATE TABLE run (
	id INTEGER PRIMARY KEY,
	boot INTEGER NOT NULL REFERENCES boot (id) ON DELETE CASCADE,
	step INTEGER NOT NULL,
	kind TEXT NOT NULL,
	workload INTEGER REFERENCES workload (id), -- NULL for set-up and collection steps
	status TEXT NOT NULL CHECK (status IN ('open', 'ok', 'failed', 'timeout', 'unsupported')),
	blame TEXT NOT NULL,
	message TEXT NOT NULL,
	dir TEXT NOT NULL,
	command TEXT NOT NULL,
	exit_code INTEGER NOT NULL,
	signal INTEGER NOT NULL,
	duration_ns INTEGER NOT NULL,
	agent_cpu_ns INTEGER NOT NULL,
	agent_wakeups INTEGER NOT NULL,
	UNIQUE (boot, step)
) STRICT;
CREATE INDEX run_by_workload ON run (workload);

CREATE TABLE sample (
	run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
	metric INTEGER NOT NULL REFERENCES metric (id),
	value REAL NOT NULL,
	PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;

-- A kernel log splat.
CREATE TABLE finding (
	id INTEGER PRIMARY KEY,
	boot INTEGER NOT NULL REFERENCES boot (id) ON DELETE CASCADE,
	kind TEXT NOT NULL,
	title TEXT NOT NULL,
	severity TEXT NOT NULL,
	log_begin INTEGER NOT NULL,	-- bytes in the visit's console.log
	log_end INTEGER NOT NULL
) STRICT;
CREATE INDEX finding_by_boot ON finding (boot);
CREATE INDEX finding_by_title ON finding (title);

CREATE TABLE fault (
	id INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	visit INTEGER,			-- NULL = of the session as a whole
	blame TEXT NOT NULL,
	code TEXT NOT NULL,
	message TEXT NOT NULL,
	at INTEGER NOT NULL
) STRICT;
CREATE INDEX fault_by_session ON fault (session);

-- One row a candidate; rows_hash tells whether the rows have changed since it was judged.
CREATE TABLE verdict (
	id INTEGER PRIMARY KEY,
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	candidate INTEGER NOT NULL,
	label TEXT NOT NULL,
	result TEXT NOT NULL,
	blame TEXT NOT NULL,
	code TEXT NOT NULL,
	reason TEXT NOT NULL,
	pairs INTEGER NOT NULL,
	more INTEGER NOT NULL CHECK (more IN (0, 1)),
	rows_hash INTEGER NOT NULL,
	UNIQUE (session, candidate)
) STRICT;

-- Every look that was taken, in numbers of pairs.
CREATE TABLE look (
	id INTEGER PRIMARY KEY,
	verdict INTEGER NOT NULL REFERENCES verdict (id) ON DELETE CASCADE,
	pairs INTEGER NOT NULL,
	level REAL NOT NULL,
	result TEXT NOT NULL,
	UNIQUE (verdict, pairs)
) STRICT;

CREATE TABLE estimate (
	look INTEGER NOT NULL REFERENCES look (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	workload INTEGER NOT NULL REFERENCES workload (id),
	metric INTEGER NOT NULL REFERENCES metric (id),
	unit TEXT NOT NULL,
	direction TEXT NOT NULL,
	base_mean REAL NOT NULL,
	cand_mean REAL NOT NULL,
	signflip_p REAL,		-- NULL = too many pairs to enumerate
	n INTEGER NOT NULL,
	mean REAL NOT NULL,
	sd REAL NOT NULL,
	se REAL NOT NULL,
	df REAL NOT NULL,
	t REAL NOT NULL,
	p REAL NOT NULL,
	p_adj REAL NOT NULL,
	lo REAL NOT NULL,
	hi REAL NOT NULL,
	mde REAL NOT NULL,
	pairs_needed INTEGER NOT NULL,
	result TEXT NOT NULL,
	PRIMARY KEY (look, idx)
) STRICT, WITHOUT ROWID;
