#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# The example jobs for CI systems, as a CI's shell runs them: exit codes, reports, votes, a cancelled
# pipeline.
# shellcheck source=../simlib.sh
. "$(dirname "$0")/../simlib.sh"

sim_boards 2
start_rigd
examples=$root/rig/examples
mkdir -p "$work/checkout" "$work/bin"
cd "$work/checkout" || exit 3
export RIG_TYPE=virt-ufs RIG_BASELINE=$good

gate() { RIG_CANDIDATE=$1 try "$examples/rig-gate.sh" "$tiny" "${@:2}"; }
gate $same
expect "PASS: 0" 0 "PASS"
check "a report to read" grep -q PASS rig-report.txt
check "a report to look at" grep -q "<html" rig-report.html
check "a report for the CI" grep -q "<testsuite" rig-report.xml
gate $slow
expect "FAIL: 1" 1 "FAIL"
check "the report is of this one" grep -q FAIL rig-report.txt
gate $noisy
expect "INCONCLUSIVE: 2" 2 "INCONCLUSIVE"
RIG_ALLOW="2 3" gate $noisy --again
expect "INCONCLUSIVE, allowed: 0" 0 "is allowed here"
gate $gone
expect "INVALID: 3" 3 "INVALID"
try env -u RIG_TYPE "$examples/rig-gate.sh" "$tiny"
expect "nothing to judge: 64, which is no verdict" 64 "RIG_SINCE or RIG_CANDIDATE"
RIG_BOARD=nowhere gate $same
expect "a wrong board: 64" 64 "nowhere"

# a cancelled pipeline: TERM to the script
RIG_CANDIDATE=$endless "$examples/rig-gate.sh" "$tiny" >"$work/out" 2>"$work/msg" &
script=$!
cancelled_in_ci() { [ "$(sql "SELECT count(*) FROM job WHERE state = 'cancelled'" | tail -n 1)" = 1 ]; }
until_true 20 grep -q "session" "$work/msg"
kill -TERM $script
wait $script
code=$?
expect "a cancelled pipeline ends with 3" 3 "cancelling job"
check "and the job with it" cancelled_in_ci
check "nothing runs on" all_off

# --- patches of a branch: what is given to rig, without building a kernel
cat >"$work/bin/rig" <<'END'
#!/bin/sh
# stands in for rig: says what it was given
case $1 in
submit) echo 7; echo "$@"; for a; do [ -d "$a" ] && ls "$a"; done; exit 0 ;;
*) exit 0 ;;
esac
END
chmod +x "$work/bin/rig"
git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m base
git tag base
try env PATH="$work/bin:$PATH" RIG_SINCE=base "$examples/rig-gate.sh" ufs-irq
expect "a branch without commits is fine" 0 "nothing to be judged"
echo x >file && git add file && git -c user.name=a -c user.email=a@b commit -q -m "one change"
try env PATH="$work/bin:$PATH" RIG_SINCE=base "$examples/rig-gate.sh" ufs-irq --quick
expect "a branch is given as patches" 0 "0001-one-change.patch" "--type virt-ufs" "--wait --quick"

# --- Gerrit
cat >"$work/bin/ssh" <<'END'
#!/bin/sh
echo "VOTE $*"
END
chmod +x "$work/bin/ssh"
vote() {
	RIG_CANDIDATE=$1 RIG_GERRIT="$work/bin/ssh -p 29418 host gerrit" \
		try "$examples/gerrit-vote.sh" "$tiny" deadbeef
}
vote $same
expect "Gerrit: PASS is +1" 0 "VOTE -p 29418 host gerrit review deadbeef --label Verified=+1"
vote $slow
expect "Gerrit: FAIL is -1, with the reason" 0 "Verified=-1" "slower: randread/1"
vote $noisy
expect "Gerrit: INCONCLUSIVE is no vote" 0 "Verified=0" "INCONCLUSIVE"
vote $gone
expect "Gerrit: INVALID is no vote" 0 "Verified=0" "recheck"

for file in gitlab-ci.yml github-actions.yml Jenkinsfile; do
	check "$file calls the script that was tested" grep -q "rig/examples/rig-gate.sh ufs-irq" "$examples/$file"
done
cd "$root" || exit 3
stop_rigd
finish
