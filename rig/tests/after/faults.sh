#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The fault matrix (rig/tests/faults.table) is whole: every driver has a row for every fault, and what
# a row names is there, and passed where this build has run it. Prints it.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"
table=rig/tests/faults.table
faults="unplug renumber stall io-error short busy baud serial-number hub"
guest=rig/tests/guest/cases/50-faults.sh

sed -n 's/[ \t]*|[ \t]*/ /g; s/^  *//; /^#/d; /./p' $table >"$work/rows"
drivers=$(cut -d' ' -f1 "$work/rows" | uniq)
for driver in $drivers; do
	for fault in $faults; do
		[ "$(grep -c "^$driver $fault " "$work/rows")" = 1 ] && continue
		not_ok "$driver/$fault" "it has $(grep -c "^$driver $fault " "$work/rows") rows"
	done
done
check "every driver has one row for every fault" [ "$fails" = 0 ]
# What lies in rig/io and can fail by itself; a new driver wants rows.
for file in rig/io/*.h; do
	name=$(basename "$file" .h)
	case $name in
	curl | prompt | sysfs | uevent | *-priv | usb-* | fastboot-* | serial-*) continue ;; # text, or parts of a driver
	attach | record | unix) continue ;;	# no wire: the keeper, see test_keeper
	esac
	grep -q "^$name " "$work/rows" || not_ok "rows for rig/io/$name" "$table has none"
done

# passed FILE TEST: in the log of its last run, if there is one.
passed() {
	local log=build/test-logs/$1.log
	[ ! -e "$log" ] || grep -aqE "^\[ +(OK|SKIPPED) +\] $2\$" "$log"
}
shown=0 cannot=0 unknown=0
while read -r driver fault limit errno blame by how; do
	case $by in
	guest) grep -q "^$how() {" $guest || { not_ok "$driver/$fault" "$guest has no $how"; unknown=1; } ;;
	unit)
		grep -q "^static void ${how#*/}(void" "rig/tests/unit/${how%/*}.c" ||
			{ not_ok "$driver/$fault" "no test $how"; unknown=1; }
		passed "${how%/*}" "${how#*/}" || { not_ok "$driver/$fault" "$how did not pass"; unknown=1; }
		;;
	no) ;;
	*) not_ok "$driver/$fault" "shown by '$by'?"; unknown=1 ;;
	esac
	[ "$by" = no ] && cannot=$((cannot + 1)) || shown=$((shown + 1))
	printf '  %-10s %-14s %-14s %-6s %6s  %s %s\n' "$driver" "$fault" "$errno" "$blame" "$limit" "$by" "$how"
done <"$work/rows"
check "what the rows name is there" [ $unknown = 0 ]
check "at least 40 of them are shown ($shown are, $cannot cannot be)" [ $shown -ge 40 ]
finish
