# SPDX-License-Identifier: GPL-2.0-or-later
# The DUT agent and its initramfs, for every architecture of the matrix. Included by the top Makefile.
#
#   build/bin/rig-agent-ARCH         static, stripped
#   build/initramfs/ARCH.cpio        the agent as /init, with fio and busybox; see agents/initramfs/build.sh
#
# For the rest of the Makefile: AGENT_PROGRAMS, INITRAMFS, WIRE_SRCS (what the rig's side needs of agents/).

AGENT_ARCHES := aarch64 x86_64 mips
AGENT_CROSS_aarch64 := aarch64-linux-gnu-
AGENT_CROSS_x86_64  := $(if $(filter x86_64,$(shell uname -m)),,x86_64-linux-gnu-)
AGENT_CROSS_mips    := mips-linux-gnu-

WIRE_SRCS  := agents/wire.c agents/wire-tx.c agents/wire-rx.c agents/wire-epoch.c agents/wire-frame.c \
	      agents/kv.c
LIB_SRCS   += $(filter-out $(LIB_SRCS),$(WIRE_SRCS))
AGENT_SRCS := $(wildcard agents/*.c)
AGENT_PROGRAMS := $(AGENT_ARCHES:%=$(B)/bin/rig-agent-%)
INITRAMFS  := $(AGENT_ARCHES:%=$(B)/initramfs/%.cpio)
# 64 bits of time on 32-bit machines, too: their kernels may lack the calls with 32.
AGENT_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 -I. -O2 -ffunction-sections -fdata-sections -Wall -Wextra \
	       -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wvla -Wwrite-strings \
	       $(if $(CI),-Werror)

# The message of a missing compiler names the way to get it.
define agent_arch
$(B)/obj/agent-$(1)/main.o: AGENT_VERSION := -include $(B)/gen/version.h
$(B)/obj/agent-$(1)/main.o: $(B)/gen/version.h
$(B)/obj/agent-$(1)/%.o: agents/%.c
	@command -v $(AGENT_CROSS_$(1))gcc >/dev/null || { \
		echo 'rig-agent-$(1): no $(AGENT_CROSS_$(1))gcc on this machine; `make setup` installs it' >&2; exit 3; }
	@mkdir -p $$(@D)
	$$(call say,CC)
	$$(Q)$(AGENT_CROSS_$(1))gcc $$(AGENT_CFLAGS) $$(AGENT_VERSION) -MMD -MP -c -o $$@ $$<

$(B)/bin/rig-agent-$(1): $(AGENT_SRCS:agents/%.c=$(B)/obj/agent-$(1)/%.o)
	@mkdir -p $$(@D)
	$$(call say,LD)
	$$(Q)$(AGENT_CROSS_$(1))gcc -static -s -Wl,--gc-sections -o $$@ $$^ -lm

# Not remade when nothing in it changed, so that its hash stays.
$(B)/initramfs/$(1).cpio: $(B)/bin/rig-agent-$(1) agents/initramfs/build.sh agents/initramfs/iperf3.c
	agents/initramfs/build.sh $(1) $$@ $$<
endef
$(foreach arch,$(AGENT_ARCHES),$(eval $(call agent_arch,$(arch))))

# The agent under test: all of it with sanitizers, its main() callable.
AGENT_ASAN_OBJS := $(patsubst agents/%.c,$(B)/obj/asan/agents/%.o,$(filter-out $(WIRE_SRCS),$(AGENT_SRCS)))
$(B)/obj/asan/agents/main.o: CFLAGS += -Dmain=agent_main -Wno-missing-prototypes
AGENT_UNITS := $(patsubst rig/tests/unit/%.c,$(B)/tests/%,$(wildcard rig/tests/unit/test_agent_*.c))
$(AGENT_UNITS): $(B)/tests/%: rig/tests/unit/%.c $(AGENT_ASAN_OBJS) $(B)/librig-asan.a
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) -O1 -g $(SAN) $(CFLAGS) -MMD -MP -o $@ $< $(AGENT_ASAN_OBJS) \
		$(B)/librig-asan.a -lcmocka $(LDLIBS)

# The demo boots aarch64, the test beds x86_64 as well; mips on demand: make build/initramfs/mips.cpio
initramfs: $(B)/initramfs/aarch64.cpio
.PHONY: initramfs initramfs-all
initramfs-all: $(INITRAMFS)
