#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rigd as a service: what it tells systemd, the unit file, and the shells' completion of its client.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

cat >"$work/listen.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace("@", "\0"))
s.settimeout(60)
print("bound", flush=True)
while True:
    data = s.recv(4096).decode()
    print(data, flush=True)
    if "STOPPING=1" in data:
        break
END

told_so_often() { [ "$(grep -cE 'RELOADING=1|READY=1' "$work/told")" -ge "$1" ]; }

# notified ADDRESS NAME: rigd under a listener at that address
notified() {
	: >"$work/told" # or the last listener's word is taken for this one's
	python3 "$work/listen.py" "$1" >>"$work/told" &
	local listener=$!
	until_true 20 grep -q bound "$work/told"
	NOTIFY_SOCKET=$1 WATCHDOG_USEC=2000000 rigd >>"$work/rigd.log" 2>&1 </dev/null &
	rigd_pid=$!
	check "$2: ready" until_true 20 grep -q "READY=1" "$work/told"
	check "$2: it answers by then" rigd_answers
	check "$2: the watchdog is fed" until_true 20 grep -q "WATCHDOG=1" "$work/told"
	kill -HUP "$rigd_pid"
	check "$2: reloading, and ready again" until_true 10 told_so_often 3
	stop_rigd
	check "$2: stopping" until_true 10 grep -q "STOPPING=1" "$work/told"
	wait $listener
}

sim_boards 1
notified "$work/notify" "a path"
notified "@rig-test-$$" "an abstract name"
NOTIFY_SOCKET=$work/nobody rigd >>"$work/rigd.log" 2>&1 </dev/null &
rigd_pid=$!
check "a manager that is gone is no trouble" until_true 20 rigd_answers
stop_rigd

unit=rig/setup/rigd.service
if command -v systemd-analyze >/dev/null; then
	sed "s#/opt/rig/build/bin#$root/build/bin#; s/^User=.*/User=root/; s/^Group=.*/Group=root/" \
		$unit >"$work/rigd.service"
	try systemd-analyze verify --man=no "$work/rigd.service"
	expect "systemd reads the unit" 0
	check "without a complaint about it" [ -z "$(grep rigd.service <<<"$msg")" ]
else
	skip "systemd reads the unit" "no systemd-analyze"
fi
check "every option of the unit's rigd is known" grep -q -- "--group" <(rigd --help)

# --- completion: what the tables know, the shells know
rig completion bash >"$work/complete.bash"
check "bash reads it" bash -n "$work/complete.bash"
# complete WORDS...: what comes for the last word
complete_() {
	bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _rig; echo "${COMPREPLY[*]}"' \
		_ "$work/complete.bash" "$@"
}
check "commands" [ "$(complete_ rig subm)" = submit ]
check "options of one command" [ "$(complete_ rig submit --pri)" = --priority ]
check "not those of another" [ -z "$(complete_ rig queue --pri)" ]
check "boards of the lab" [ "$(complete_ rig submit --board sim)" = sim-1 ]
check "boards as operands" [ "$(complete_ rig console sim)" = sim-1 ]
missing=
for command in $(rig help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	known=" $(complete_ rig "$command" --) "
	for option in $(rig "$command" --help | grep -oE -- '^ +(-[a-z0-9], )?--[a-z-]+' | grep -oE -- '--[a-z-]+'); do
		[[ $known == *" $option "* ]] || missing+=" $command:$option"
	done
done
check "every option of every command ($missing)" [ -z "$missing" ]
if command -v zsh >/dev/null; then
	rig completion zsh >"$work/_rig"
	check "zsh reads it" zsh -n "$work/_rig"
	check "and has all commands" [ "$(grep -c "_arguments" "$work/_rig")" = "$(rig help | grep -c '^  [a-z]')" ]
else
	skip "zsh reads it" "no zsh"
fi
try rig completion csh
expect "another shell" 64 "bash|zsh"
finish
