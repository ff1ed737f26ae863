# SPDX-License-Identifier: GPL-2.0-or-later
# results/: included by the one Makefile. Needs SQLite and jansson, nothing of boards or wires.
RESULTS_SRCS := $(wildcard results/*.c)
RESULTS_GEN_SRCS := $(B)/gen/schema.c

# The numbered schema files become one const table, in the order of their numbers.
$(B)/gen/schema.c: $(sort $(wildcard results/schema/*.sql)) results/schema/embed.sh
	@mkdir -p $(@D)
	results/schema/embed.sh $(filter %.sql,$^) > $@
