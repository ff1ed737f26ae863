#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The console keeper on a real tty (cdc_acm): its port leaves and comes back under another number, is
# found where it was plugged in, the gap is marked, and nothing spins meanwhile.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"
export RIG_HOME=$work/home
mkdir -p "$RIG_HOME"

gadget_new con acm.0 RIGCONSOLE
gadget_plug con dummy_udc.0
until_true 20 plugged RIGCONSOLE
until_true 20 [ -c /dev/ttyACM0 ]
udevadm settle --timeout=10
port=$(usb_port RIGCONSOLE)
cat >"$RIG_HOME/lab.yaml" <<END
boards:
- {name: b, type: sm8650, usb: "9-1", console: {at: "usb:$port"}}
END
record=
# The record of the time without a job.
find_record() { record=$(find "$RIG_HOME/boards/b" -name console.log 2>/dev/null | tail -n 1); [ -n "$record" ]; }
has() { grep -qas "$1" "${record%.log}.$2"; }
ticks() { local f; read -r -a f <"/proc/$keeper/stat"; echo $((f[13] + f[14])); }

"$root/build/bin/rig-console" --board b --stay 2>"$work/msg" &
keeper=$!
check "it records without a job" until_true 20 find_record
until_true 20 [ -S "$RIG_HOME/boards/b.console" ]
stty -F /dev/ttyGS0 raw -echo
echo "one" >/dev/ttyGS0
check "what the board says" until_true 20 has one log
timeout 60 "$root/build/bin/rig" console b --until three --for 50 >"$work/seen" 2>"$work/seen.msg" &
reader=$!
check "a reader sees what was there before it" until_true 40 grep -qas one "$work/seen"

exec 7<>/dev/ttyACM0 # so that it comes back as another
gadget_unplug con
check "the port leaves: marked" until_true 20 has "gap:" marks
before=$(ticks)
since=$(uptime_ms)
until_true 3 false
used=$(($(ticks) - before))
check "it does not spin ($used ticks in $(($(uptime_ms) - since)) ms)" [ $used -le 5 ]
gadget_plug con dummy_udc.0
check "it is back: marked" until_true 30 has "back after" marks
check "under another number" [ -c /dev/ttyACM1 ]
exec 7>&-
echo "two" >/dev/ttyGS0
check "and heard again" until_true 20 has two log
echo "three" >/dev/ttyGS0
wait $reader
code=$?
check "a reader was told, and went on" [ $code = 0 ]
check "in words" grep -q "the console is gone" "$work/seen.msg"
check "it saw both sides of the gap" grep -qa two "$work/seen"
cat "${record%.log}.marks"
kill $keeper
wait $keeper
code=$?
check "SIGTERM ends it" [ $code = 0 ]
gadget_free con
finish
