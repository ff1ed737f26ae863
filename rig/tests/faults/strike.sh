#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2086	# pids, several of them
# What rigd runs at every arrow (rigd/strike.h): strikes once, at $STRIKE_AT, with $STRIKE_WITH, and
# writes down in $STRIKE_DIR/hit what it hit.
[ "$1 $2 $3 $4" = "$STRIKE_AT" ] || exit 0
mkdir "$STRIKE_DIR/once" 2>/dev/null || exit 0
trap 'mkdir "$STRIKE_DIR/struck"' EXIT
trap 'exit 1' TERM

# The processes of that name that carry this $RIG_HOME.
named() {
	for p in $(pgrep -x "$1"); do
		grep -qzxF "RIG_HOME=$RIG_HOME" "/proc/$p/environ" 2>/dev/null && echo "$p"
	done
}

# victims NAME: they may need a moment to be there, if a job runs at all.
victims() {
	i=0
	while [ $i -lt 40 ]; do
		v=$(named "$1")
		[ -n "$v" ] && echo "$v" && return
		[ -n "$(named rig-job)" ] || return
		sleep 0.01
		i=$((i + 1))
	done
}

hit() {
	[ -n "$*" ] && echo "$*" >"$STRIKE_DIR/hit"
}

case $STRIKE_WITH in
rigd)
	hit "$PPID"
	kill -9 "$PPID"
	;;
job) v=$(victims rig-job) && hit "$v" && kill -9 $v ;;
keeper) v=$(victims rig-console) && hit "$v" && kill -9 $v ;;
qemu) v=$(victims fake-qemu) && hit "$v" && kill -9 $v ;;
tty) v=$(victims fake-qemu) && hit "$v" && kill -USR1 $v ;;
enospc)
	dd if=/dev/zero of="$RIG_HOME/filler" bs=16k 2>/dev/null
	dd if=/dev/zero of="$RIG_HOME/filler2" bs=512 2>/dev/null
	hit "the disk"
	;;
all) # the host loses its power: everything at once
	v=$(named rig-job; named rig-console; named fake-qemu)
	hit "$PPID $v"
	kill -9 "$PPID" $v
	;;
esac
exit 0
