-- SPDX-License-Identifier: GPL-2.0-or-later
-- What the console's line went through in a boot, for the health of the board: errors that its
-- driver counted, and how often the line was gone (an adapter that enumerated again).

ALTER TABLE boot ADD COLUMN line_errors INTEGER NOT NULL DEFAULT 0;
ALTER TABLE boot ADD COLUMN line_gaps INTEGER NOT NULL DEFAULT 0;
