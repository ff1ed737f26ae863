# SPDX-License-Identifier: GPL-2.0-or-later
# results/: included by the one Makefile. Needs SQLite and jansson, nothing of boards or wires.
# The simulator is in the library for its unit test; a program that does not use it does not carry it.
SIM_MAIN := results/sim/main.c
RESULTS_SRCS := $(wildcard results/*.c) $(filter-out $(SIM_MAIN),$(wildcard results/sim/*.c))
RESULTS_GEN_SRCS := $(B)/gen/schema.c $(B)/gen/report-css.c

# The numbered schema files become one const table, in the order of their numbers.
$(B)/gen/schema.c: $(sort $(wildcard results/schema/*.sql)) results/schema/embed.sh
	@mkdir -p $(@D)
	results/schema/embed.sh $(filter %.sql,$^) > $@

# The style sheet of the HTML report becomes one string.
$(B)/gen/report-css.c: results/html/report.css results/html/embed.sh
	@mkdir -p $(@D)
	results/html/embed.sh $< > $@
