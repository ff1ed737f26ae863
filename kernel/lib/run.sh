# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Kernel build, lowest layer: messages, exit codes, running one long step with progress, and the
# private directory of this build. Sourced by build.sh; knows nothing of kernels.
#
# A build works in $WORK, which is <kernels>/.work/<pid>.<start time>.<random>. Pid and start time
# name one process for good, so the directory of a builder that is gone is known as such and swept
# by the next. Every exit passes finish(), which ends the running step and removes $WORK.

readonly EXIT_INFRA=3 EXIT_USAGE=64

WORK=		# private directory of this build, empty before work_new
STEP_PID=	# process group of the running step
TICK_PID=	# what wakes us to show its progress
LOG=/dev/null	# where steps write; a file in $WORK once that exists
STARTED=$SECONDS

say()
{
	printf '%s\n' "rig kernel: $*" >&2
}

# die CODE MESSAGE...: the only way out with an error.
die()
{
	local code=$1
	shift
	say "$*"
	exit "$code"
}

infra_error()
{
	die "$EXIT_INFRA" "$*"
}

usage_error()
{
	die "$EXIT_USAGE" "$*"
}

elapsed()
{
	printf '%d:%02d' $(((SECONDS - STARTED) / 60)) $(((SECONDS - STARTED) % 60))
}

# proc_start PID: its start time in clock ticks since boot, nothing if there is no such process.
proc_start()
{
	local stat

	{ stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
	stat=${stat##*) }	# the command name may hold blanks and brackets
	# shellcheck disable=SC2086
	set -- $stat
	printf '%s' "${20}"
}

# What a step has done so far, for progress lines: object files named in make's output.
step_count()
{
	local n

	n=$(grep -cE '^  (CC|AS|LD|AR|HOSTCC|HOSTLD|OBJCOPY) ' "$LOG" 2>/dev/null)
	[ "${n:-0}" -eq 0 ] || printf ', %d objects so far' "$n"
}

step_progress()
{
	if [ -t 2 ]; then
		printf '\r\033[Krig kernel: %s%s, %s' "$1" "$(step_count)" "$(elapsed)" >&2
	elif ((SECONDS >= STEP_NEXT)); then
		say "$1$(step_count), $(elapsed)"
		STEP_NEXT=$((SECONDS + 10))
	fi
}

# tick_kill: 0 if it was still running. It is waited for: like every child it holds our locks.
tick_kill()
{
	local rc

	kill "$TICK_PID" 2>/dev/null
	rc=$?
	wait "$TICK_PID" 2>/dev/null
	TICK_PID=
	return $rc
}

step_kill()
{
	local i

	[ -z "$TICK_PID" ] || tick_kill
	[ -n "$STEP_PID" ] || return 0
	kill -TERM -- "-$STEP_PID" 2>/dev/null
	for ((i = 0; i < 30; i++)); do
		kill -0 -- "-$STEP_PID" 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL -- "-$STEP_PID" 2>/dev/null
	STEP_PID=
}

# step WHAT COMMAND...: run it as its own process group, output to $LOG, progress to a person.
# The group dies with us: Ctrl-C through finish(), SIGKILL through the parent death signal.
step()
{
	local what=$1 rc drawn=

	shift
	STEP_NEXT=$((SECONDS + 10))
	set -m
	setpriv --pdeathsig TERM -- "$@" </dev/null >>"$LOG" 2>&1 &
	STEP_PID=$!
	set +m
	while kill -0 "$STEP_PID" 2>/dev/null; do
		sleep 0.5 &
		TICK_PID=$!
		wait -n "$STEP_PID" "$TICK_PID" 2>/dev/null
		tick_kill || { step_progress "$what"; drawn=1; }
	done
	wait "$STEP_PID"
	rc=$?
	STEP_PID=
	[ -z "$drawn" ] || [ ! -t 2 ] || printf '\r\033[K' >&2
	return $rc
}

# step_or_die WHAT COMMAND...: for steps that can fail only because the machine does.
step_or_die()
{
	step "$@" || infra_error "$1: failed: $(log_reason)"
}

# The line of the log that tells why a step failed.
log_reason()
{
	if disk_full; then
		printf 'no space left on the disk of %s' "$KERNELS"
	else
		grep -v '^ *$' "$LOG" | tail -n 1
	fi
}

disk_free()
{
	df -h --output=avail "$KERNELS" 2>/dev/null | tail -n 1 | tr -d ' '
}

# Did the disk run full? The log lies on the same disk: what should be in it may not be.
disk_full()
{
	local free_kb

	grep -q 'No space left on device' "$LOG" 2>/dev/null && return 0
	free_kb=$(df -k --output=avail "$KERNELS" 2>/dev/null | tail -n 1)
	[ "${free_kb:-1024}" -lt 64 ]
}

# work_sweep: remove private directories whose builder is gone.
work_sweep()
{
	local dir pid start

	for dir in "$KERNELS"/.work/*.*.*; do
		[ -d "$dir" ] || continue
		IFS=. read -r pid start _ <<<"${dir##*/}"
		[ "$(proc_start "$pid")" != "$start" ] || continue
		say "removing what a dead build left (pid $pid)"
		rm -rf "$dir"
	done
}

work_new()
{
	local why

	why=$(mkdir -p "$KERNELS/.work" "$KERNELS/.lock" "$KERNELS/.base" 2>&1) ||
		infra_error "cannot write to $KERNELS: $why"
	WORK=$(mktemp -d "$KERNELS/.work/$$.$(proc_start $$).XXXXXX" 2>&1) || {
		why=$WORK WORK=
		infra_error "cannot write to $KERNELS: $why"
	}
	LOG=$WORK/log
	: >"$LOG" || infra_error "cannot write to $KERNELS"
}

# with_lock NAME WHAT FUNCTION ARG...: run it while holding a lock shared by all builds of this
# cache. Our children inherit the descriptor: should we be killed, the lock stays taken until the
# last compiler has gone. Lock files stay: removing one that another build waits for would make two.
with_lock()
{
	local name=$1 what=$2 fd rc i

	shift 2
	exec {fd}>"$KERNELS/.lock/$name" || infra_error "cannot open $KERNELS/.lock/$name"
	for ((i = 0; ; i++)); do
		flock -w "$((i > 0))" "$fd" && break
		((i % 10)) || say "waiting for another build of $what, $(elapsed)"
	done
	"$@"
	rc=$?
	exec {fd}>&-
	return $rc
}

# A child that is killed between its fork and its exec still has our traps: it must not clean up.
finish()
{
	local rc=$?

	[ "$BASHPID" = $$ ] || exit $rc
	trap '' INT TERM HUP
	step_kill
	[ -z "$WORK" ] || rm -rf "$WORK"
	exit $rc
}

cancelled()
{
	[ ! -t 2 ] || printf '\n' >&2
	infra_error "cancelled after $(elapsed), nothing kept"
}
