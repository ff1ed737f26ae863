#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# rig/io/gpio on gpio-sim, which shows on the other side what a pin really does.
# shellcheck source=../guestlib.sh
. "$(dirname "$0")/../guestlib.sh"
holds() { [ "$(cat "$1/value")" = "$2" ]; }

chip_new a relays
line=$(pin a 1)
mkfifo "$work/in"
"$tool" gpio-hold relays power 1 <"$work/in" >"$work/held" 2>&1 &
holder=$!
exec 5>"$work/in"
check "an output is driven" until_true 10 holds "$line" 1
try io gpio-consumer relays power; expect "its user is named" 0 "consumer=rig io-tool"
try io gpio-hold relays 1 1; expect "a second user: EBUSY" 1 "rc=EBUSY"
printf 0 >&5
check "switched off" until_true 10 holds "$line" 0
printf 1 >&5
check "and on" until_true 10 holds "$line" 1
sleep 1
check "held while its owner lives" holds "$line" 1
kill -9 $holder
wait $holder 2>/dev/null
exec 5>&-
check "released with its owner's death: back to the pull" until_true 10 holds "$line" 0
try io gpio-consumer relays power; expect "and free again" 0 "consumer="

try env ACTIVE_LOW=1 "$tool" gpio-pulse relays power 10
expect "active low: released is 1" 0 "rc=0"
"$tool" gpio-watch "$line/value" >"$work/width" &
watcher=$!
sleep 0.5
try io gpio-pulse relays power 100; expect "a pulse of 100 ms" 0 "after=0" "rc=0"
wait $watcher
width=$(sed -n 's/value_ms=//p' "$work/width")
check "is seen on the pin, and no shorter" [ "${width:-0}" -ge 99 ]
echo "  it was $width ms wide"

echo pull-up >"$line/pull"
try io gpio-read relays power; expect "an input" 0 "value=1"
try io gpio-read nochip power; expect "no such chip" 1 "rc=ENODEV"
try io gpio-read relays nolamp; expect "no such line" 1 "rc=ENOENT"
try io gpio-read relays 4; expect "no such offset" 1 "rc=ENOENT"

# The same label under another number: what was gpiochipN is so no more after a reboot.
before=$(cat $sims/a/bank0/chip_name)
chip_free a
chip_new filler other
chip_new a relays
after=$(cat $sims/a/bank0/chip_name)
try io gpio-read relays power; expect "found by its label ($before is now $after)" 0 "rc=0"
check "the number did change" [ "$before" != "$after" ]
chip_new b relays
try io gpio-read relays power; expect "two chips of that label" 1 "rc=EEXIST"
try io gpio-read "$after" power; expect "by its number, where somebody must" 0 "rc=0"
chip_free b

"$tool" gpio-hold relays power 1 <"$work/in" >"$work/held" 2>&1 &
holder=$!
exec 5>"$work/in"
until_true 10 holds "$(pin a 1)" 1
chip_free a 2>/dev/null
printf 0 >&5
exec 5>&-
wait $holder
check "the chip is pulled out: ENODEV" grep -q "rc=ENODEV" "$work/held"
chip_free filler
finish
