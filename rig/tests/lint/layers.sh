#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The include rule: base < io < board < job < rigd < cli; each layer may include those of its row
# and its own. Nothing else crosses, but agents/wire.h and agents/kv.h.
set -u
cd "$(dirname "$0")/../../.." || exit 3
bad=0

# layer: what it may include besides itself
allowed() {
	case $1 in
	rig/base) echo "" ;;
	rig/conf) echo "base" ;;
	rig/scan) echo "base" ;;
	rig/io) echo "base" ;;
	rig/suite) echo "base conf" ;;
	rig/board) echo "base conf io" ;;
	rig/console) echo "base conf io board" ;;
	rig/job) echo "base conf io scan suite board agents" ;;
	results) echo "base scan results" ;;
	rig/rigd) echo "base conf suite board results" ;;
	rig/cli) echo "base conf scan io suite board results rigd cli" ;;
	agents) echo "agents" ;;
	*) echo "?" ;;
	esac
}

check_file() {
	local file=$1 layer=$2 may inc top
	may=" $(allowed "$layer") $(basename "$layer") "
	while IFS= read -r inc; do
		top=${inc%%/*}
		# version.h, schema.h: generated, no layer
		[ "$top" = "$inc" ] && continue
		[[ $may == *" $top "* ]] && continue
		echo "$file: includes $inc; $layer may include only:$may"
		bad=1
	done < <(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file")
	if [ "$layer" = rig/job ] || [ "$layer" = results ]; then
		sed -n 's/^#include "\(agents\/[^"]*\)".*/\1/p' "$file" |
			grep -vE '^agents/(wire|kv)\.h$' | sed "s#^#$file: includes #" | grep . && bad=1
	fi
}

while IFS= read -r file; do
	case $file in
	rig/tests/* | results/tests/*) continue ;;
	rig/*) check_file "$file" "$(cut -d/ -f1-2 <<<"$file")" ;;
	results/*) check_file "$file" results ;;
	agents/*) check_file "$file" agents ;;
	esac
done < <(git ls-files -co --exclude-standard '*.c' '*.h')
exit $bad
