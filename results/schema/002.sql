-- SPDX-License-Identifier: GPL-2.0-or-later
-- What a finding is told apart by, and the findings that a lab passes over.

-- '' = recorded or imported by a rig that did not keep it; import the run directory again to see.
ALTER TABLE finding ADD COLUMN signature TEXT NOT NULL DEFAULT '';	-- rig/scan/signature.h
ALTER TABLE finding ADD COLUMN guilty TEXT NOT NULL DEFAULT '';		-- source file, a guess
ALTER TABLE finding ADD COLUMN trace TEXT NOT NULL DEFAULT '';		-- functions, innermost first, one a line
CREATE INDEX finding_by_signature ON finding (signature);

-- The lab's suppressions as they stood when the session started: a verdict needs rows alone.
CREATE TABLE session_suppression (
	session INTEGER NOT NULL REFERENCES session (id) ON DELETE CASCADE,
	idx INTEGER NOT NULL,
	title TEXT NOT NULL,		-- a pattern: * ? [...]
	kind TEXT NOT NULL,		-- '' = any
	guilty TEXT NOT NULL,		-- a pattern; '' = any
	until TEXT NOT NULL,		-- last day, YYYY-MM-DD
	reason TEXT NOT NULL,
	PRIMARY KEY (session, idx)
) STRICT, WITHOUT ROWID;
