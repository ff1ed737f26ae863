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
# The unit tests of results/ are linked with results/, base and scan and these libraries alone: no
# USB, GPIO or serial library is needed to build and test the judge. `make check` runs them too.
RESULTS_LIBS  := $(shell pkg-config --libs sqlite3 jansson libmd 2>/dev/null) -lm
RESULTS_TESTS := $(shell grep -l '^\#include "results/' rig/tests/unit/test_*.c | \
		 xargs grep -LE '^\#include "(agents|board|cli|conf|io|job|rigd|suite)/')
RESULTS_UNITS := $(RESULTS_TESTS:rig/tests/unit/%.c=$(B)/tests/%)
RESULTS_OBJS  := $(patsubst %.c,$(B)/obj/asan/%.o,$(RESULTS_SRCS) $(wildcard rig/base/*.c rig/scan/*.c)) \
		 $(RESULTS_GEN_SRCS:$(B)/%.c=$(B)/obj/asan/%.o)

$(B)/libresults-asan.a: $(RESULTS_OBJS)
	@rm -f $@
	@ar rcsD $@ $^
$(RESULTS_UNITS): $(B)/tests/%: rig/tests/unit/%.c $(B)/libresults-asan.a
	@mkdir -p $(@D)
	$(call say,CCLD)
	$(Q)$(CC) $(BASE_CFLAGS) -O1 -g $(SAN) $(CFLAGS) -MMD -MP -o $@ $< $(B)/libresults-asan.a \
		-lcmocka $(RESULTS_LIBS)

.PHONY: results-check
results-check: $(RESULTS_UNITS)
	@UNIT_TESTS="$(RESULTS_TESTS)" rig/tests/run.sh unit
