# SPDX-License-Identifier: GPL-2.0-or-later
# One non-recursive Makefile. `make help` lists the targets.
#
# build/bin      programs            build/obj   objects (asan/ = the sanitized twin for tests)
# build/tests    unit tests          build/gen   generated sources

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:

B       := build
CC      ?= gcc
ifeq ($(origin CC),default)
CC      := gcc
endif
PKGS    := jansson yaml-0.1 sqlite3 libmd libusb-1.0 libgpiod libserialport libcurl
WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla \
	   -Wwrite-strings $(if $(CI),-Werror)
OPT     ?= -O2 -g
BASE_CFLAGS = -std=gnu11 -D_GNU_SOURCE -Irig -I. -I$(B)/gen $(WARN) $(PKG_CFLAGS)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS   := -Wl,--as-needed $(shell pkg-config --libs $(PKGS) 2>/dev/null)
SAN     := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LDLIBS   = $(PKG_LIBS) -lm

# One short line a file; V=1 prints the commands.
ifeq ($(V),)
Q       := @
say      = @printf '  %-6s %s\n' '$(1)' '$@'
endif

.PHONY: all setup demo check check-corpus check-fast lint fuzz bench sim clean help unit cli-tests kernel-tests vm-tests check-vm check-hil
all: programs

help:
	@echo 'make           build the programs (build/bin) and man pages'
	@echo 'make setup     install every package that is needed; says what it will do first'
	@echo 'make demo      set up, then judge two patches of the ufs-irq series on a virtual board'
	@echo 'make check     set up, then run every test'
	@echo 'make check-corpus  parsers and detector against ../shared/corpus, with rates'
	@echo 'make check-vm  USB, GPIO and serial drivers on real kernel interfaces, in a guest'
	@echo 'make bench-fastboot  downloads in the guest beside Debian'"'"'s and a bare loop of libusb'
	@echo 'make check-hil RIG_HIL_BOARD=NAME  a new board, step by step; its transcript is the bug report'
	@echo 'make check-fast  every test that boots nothing, in a minute'
	@echo 'make check-faults  kill, fill and hang up at every arrow of the states; lose power'
	@echo 'make unit      the unit tests alone (ASan and UBSan)'
	@echo 'make results-check  those of results/, with no library of USB, GPIO or serial lines'
	@echo 'make lint      formatting, static analysis, layering, spelling'
	@echo 'make fuzz      every fuzzer for FUZZ_SECONDS each (60)'
	@echo 'make bench     measure; prints tables, keeps raw numbers in build/bench'
	@echo 'make sim       error rates of gate and history on simulated boards against their goals'
	@echo '               (SIM_SEED=1 SIM_REPS=4000); raw numbers in build/sim'
	@echo 'make clean     remove build/ (kernels and results in $$RIG_HOME stay)'

# --- sources -------------------------------------------------------------------------------
MAIN_SRCS := rig/cli/rig.c rig/job/main.c rig/rigd/main.c rig/console/main.c
LIB_SRCS  := $(filter-out $(MAIN_SRCS),$(wildcard rig/base/*.c rig/conf/*.c rig/io/*.c \
	     rig/board/*.c rig/console/*.c rig/suite/*.c rig/scan/*.c rig/job/*.c rig/rigd/*.c rig/cli/*.c))

include results/results.mk
include agents/agent.mk

LIB_SRCS  += $(RESULTS_SRCS)
GEN_SRCS  := $(RESULTS_GEN_SRCS)
UNIT_SRCS := $(wildcard rig/tests/unit/test_*.c)
PROGRAMS  := $(B)/bin/rig $(B)/bin/rigd $(B)/bin/rig-job $(B)/bin/rig-console

LIB_OBJS  := $(LIB_SRCS:%.c=$(B)/obj/%.o) $(GEN_SRCS:$(B)/%.c=$(B)/obj/%.o)
FUZZ_OBJS := $(LIB_OBJS:$(B)/obj/%=$(B)/obj/fuzz/%)
ASAN_OBJS := $(LIB_OBJS:$(B)/obj/%=$(B)/obj/asan/%)
UNITS     := $(UNIT_SRCS:rig/tests/unit/%.c=$(B)/tests/%)

.PHONY: programs agents initramfs man fakes
programs: $(PROGRAMS) agents man
agents: $(AGENT_PROGRAMS)

# A header that changes only with the version, so that a commit does not rebuild everything.
VERSION := $(shell git describe --always --dirty --tags 2>/dev/null || echo unknown)
$(B)/gen/version.h: FORCE
	@mkdir -p $(@D)
	@echo '#define RIG_VERSION "$(VERSION)"' | cmp -s - $@ || \
		echo '#define RIG_VERSION "$(VERSION)"' > $@
FORCE:

$(B)/obj/asan/%.o: %.c | $(B)/gen/version.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) -O1 -g $(SAN) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/asan/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) -O1 -g $(SAN) $(CFLAGS) -MMD -MP -c -o $@ $<
# The library for the fuzzers: instrumented by clang. A harness may include a .c file to reach its
# static functions; the linker then takes those objects from the harness.
FUZZ_FLAGS := -std=gnu11 -D_GNU_SOURCE -Irig -I. -I$(B)/gen $(PKG_CFLAGS) -O1 -g \
	      -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
$(B)/obj/fuzz/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)clang $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/fuzz/%.o: %.c | $(B)/gen/version.h
	@mkdir -p $(@D)
	$(call say,CLANG)
	$(Q)clang $(FUZZ_FLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/gen/%.o: $(B)/gen/%.c
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) $(OPT) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/obj/%.o: %.c | $(B)/gen/version.h
	@mkdir -p $(@D)
	$(call say,CC)
	$(Q)$(CC) $(BASE_CFLAGS) $(OPT) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/librig.a: $(LIB_OBJS)
	@rm -f $@
	@ar rcsD $@ $^
$(B)/librig-fuzz.a: $(FUZZ_OBJS)
	@rm -f $@
	@ar rcsD $@ $^
$(B)/librig-asan.a: $(ASAN_OBJS)
	@rm -f $@
	@ar rcsD $@ $^

$(B)/bin/rig: $(B)/obj/rig/cli/rig.o $(B)/librig.a
$(B)/bin/rigd: $(B)/obj/rig/rigd/main.o $(B)/librig.a
$(B)/bin/rig-job: $(B)/obj/rig/job/main.o $(B)/librig.a
$(B)/bin/rig-console: $(B)/obj/rig/console/main.o $(B)/librig.a
$(B)/bin/rig-sim: $(SIM_MAIN:%.c=$(B)/obj/%.o) $(B)/librig.a
$(PROGRAMS) $(B)/bin/rig-sim:
	@mkdir -p $(@D)
	$(call say,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/tests/%: rig/tests/unit/%.c $(B)/librig-asan.a
	@mkdir -p $(@D)
	$(call say,CCLD)
	$(Q)$(CC) $(BASE_CFLAGS) -O1 -g $(SAN) $(CFLAGS) -MMD -MP -o $@ $< $(TEST_OBJS) $(B)/librig-asan.a -lcmocka $(TEST_LIBS) $(LDLIBS)

# Tests on umockdev: devices of ours behind the real sysfs and usbfs calls. The sanitizer is linked
# in whole, since umockdev's library, which is preloaded, would come before its shared one.
MOCK_TESTS := $(patsubst %,$(B)/tests/%,test_usb test_fastboot test_dfu test_android \
	      test_android_faults test_merrifield)
MOCK_OBJS  := $(patsubst %,$(B)/obj/asan/rig/tests/fakes/%.o,umock-usb umock-fastboot umock-dfu \
	      fastboot-device fastboot-store dfu-device)
$(MOCK_TESTS): $(MOCK_OBJS)
$(MOCK_TESTS): TEST_OBJS = $(MOCK_OBJS)
$(MOCK_TESTS): TEST_LIBS = -static-libasan $(shell pkg-config --libs umockdev-1.0)
$(MOCK_OBJS) $(MOCK_TESTS): PKG_CFLAGS += $(shell pkg-config --cflags umockdev-1.0)

-include $(shell find $(B)/obj $(B)/tests -name '*.d' 2>/dev/null)

# --- documentation -------------------------------------------------------------------------
MAN_SRCS := $(wildcard rig/man/*.scd)
MANS     := $(MAN_SRCS:rig/man/%.scd=$(B)/man/%)
man: $(MANS)
$(B)/man/%: rig/man/%.scd
	@mkdir -p $(@D)
	$(call say,MAN)
	$(Q)scdoc < $< > $@

# --- set-up --------------------------------------------------------------------------------
# The stamp spares demo and check the look at every package; `make setup` always looks.
setup:
	@rig/setup/setup.sh
	@mkdir -p $(B) && touch $(B)/setup.stamp
$(B)/setup.stamp: rig/setup/setup.sh $(wildcard rig/setup/*.packages)
	@rig/setup/setup.sh
	@mkdir -p $(B) && touch $@

# --- what it is for ------------------------------------------------------------------------
demo: $(B)/setup.stamp
	@$(MAKE) --no-print-directory -j2 programs initramfs
	@rig/tests/demo.sh

# Programs that tests need and nobody installs: stand-ins for devices, and the guest's own.
FAKES := $(addprefix $(B)/fakes/,io-tool lab-tool poweroff fastboot-tool ffs-fastboot \
	 dfu-tool raw-dfu fake-qemu) $(B)/fakes/umock-dfu-run
fakes: $(FAKES)
$(B)/fakes/io-tool: rig/tests/guest/io-tool.c $(B)/librig.a
$(B)/fakes/lab-tool: rig/tests/guest/lab-tool.c $(B)/librig.a
$(B)/fakes/fastboot-tool: rig/tests/guest/fastboot-tool.c $(B)/librig.a
$(B)/fakes/ffs-fastboot: $(patsubst %,rig/tests/fakes/%.c,ffs-fastboot fastboot-device fastboot-store) $(B)/librig.a
$(B)/fakes/dfu-tool: rig/tests/guest/dfu-tool.c $(B)/librig.a
$(B)/fakes/fake-qemu: rig/tests/fakes/fake-qemu.c rig/tests/unit/fake_qemu.h rig/tests/unit/fake_dut.h $(B)/librig.a
$(B)/fakes/raw-dfu: $(patsubst %,rig/tests/fakes/%.c,raw-dfu dfu-device) $(B)/librig.a
# A device on umockdev, for the programs of the rig as they are.
UMOCK_DFU_RUN := $(patsubst %,rig/tests/fakes/%.c,umock-dfu-run umock-dfu umock-usb dfu-device)
$(B)/fakes/umock-dfu-run: PKG_CFLAGS += $(shell pkg-config --cflags umockdev-1.0)
$(B)/fakes/umock-dfu-run: PKG_LIBS += $(shell pkg-config --libs umockdev-1.0)
$(B)/fakes/umock-dfu-run: $(UMOCK_DFU_RUN) $(B)/librig.a
$(filter-out %/poweroff,$(FAKES)):
	@mkdir -p $(@D)
	$(call say,CCLD)
	$(Q)$(CC) $(BASE_CFLAGS) $(OPT) $(CFLAGS) $(LDFLAGS) -o $@ $(filter-out %.h,$^) $(LDLIBS)
$(B)/fakes/poweroff: rig/tests/guest/poweroff.c
	@mkdir -p $(@D)
	$(call say,CCLD)
	$(Q)$(CC) $(BASE_CFLAGS) $(OPT) $(CFLAGS) -static -o $@ $<

# --- tests ---------------------------------------------------------------------------------
check: $(B)/setup.stamp
	@$(MAKE) --no-print-directory -j2 programs initramfs $(B)/initramfs/x86_64.cpio $(B)/initramfs/mips.cpio fakes $(UNITS)
	@rig/tests/run.sh unit+cli kernel+vm after

# The detectors and parsers against the shared corpus alone: what was right, wrong, missed, false.
CORPUS_TESTS := test_fio test_parse_corpus test_scan_corpus
check-corpus: $(CORPUS_TESTS:%=$(B)/tests/%)
	@for t in $(CORPUS_TESTS); do $(B)/tests/$$t 2>&1 | grep -av '^\[' ; \
		$(B)/tests/$$t >/dev/null 2>&1 || { echo "$$t failed"; exit 1; }; done

unit: $(UNITS)
	@rig/tests/run.sh unit

# All that boots nothing: a minute.
check-fast: programs $(B)/fakes/fake-qemu $(UNITS)
	@rig/tests/run.sh unit+cli after

# Every arrow of the states of jobs and boards, struck by every fault (FAULTS="--only TEXT": some);
# a host that loses its power at 30 random moments.
.PHONY: check-faults
check-faults: programs $(B)/fakes/fake-qemu
	@python3 rig/tests/faults/arrows.py $(FAULTS)
	@python3 rig/tests/faults/power.py

# The sets below need the programs; see rig/tests/run.sh for what each holds.
cli-tests: programs fakes
	@rig/tests/run.sh cli
kernel-tests:
	@rig/tests/run.sh kernel
vm-tests: programs initramfs $(B)/initramfs/x86_64.cpio $(B)/initramfs/mips.cpio fakes
	@rig/tests/run.sh vm

# The rig's drivers inside a guest with dummy_hcd, gpio-sim and real tty drivers, one boot of it.
check-vm: fakes
	@rig/tests/guest/run.sh

.PHONY: bench-fastboot
bench-fastboot: fakes
	@rig/tests/guest/bench-fastboot.sh

# A real board of the lab file (or a virtual one), step by step; see rig/tests/hil/hil.sh.
check-hil: programs initramfs
	@rig/tests/hil/hil.sh || test $$? = 77

lint:
	@rig/tests/lint/lint.sh

fuzz: $(B)/librig-fuzz.a
	@rig/tests/fuzz/fuzz.sh

bench: programs initramfs
	@rig/tests/bench/bench.sh

SIM_SEED ?= 1
SIM_REPS ?= 4000
sim: $(B)/bin/rig-sim
	@nice $(B)/bin/rig-sim --seed $(SIM_SEED) --reps $(SIM_REPS) --dir $(B)/sim || test $$? = 1

clean:
	rm -rf $(B)
