#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Wrong input gets a message that names the thing and says what to do, and the right exit code.
# No board runs here: a stand-in for kernel/build.sh answers at once with an empty kernel.
# shellcheck source=../lib.sh
. "$(dirname "$0")/../lib.sh"

# A data tree of our own: the real suites and initramfs, a build script that builds nothing.
data=$work/data
mkdir -p "$data/kernel" "$work/entry"
ln -s "$root/suites" "$data/suites"
ln -s "$root/build" "$data/build"
cat >"$data/kernel/build.sh" <<'EOF'
#!/bin/sh
case "$1 $*" in
build*broken*) echo "0001-x.patch: drivers/a.c: hunk 2 does not apply" >&2; exit 64 ;;
build*) echo "$RIG_TEST_ENTRY" ;;
cmdline*) echo ;;
esac
EOF
chmod +x "$data/kernel/build.sh"
printf 'id=0123456789abcdef\narch=arm64\nboard=virt-ufs\nimage=Image\nrelease=6.12-rig.01234567\n' \
	>"$work/entry/manifest"
: >"$work/entry/Image"
export RIG_TEST_ENTRY=$work/entry

AB=(--baseline original --candidate threaded)
with_data() { RIG_DATA=$data "$@"; }

try rig; expect "no command prints the usage" 64 "usage: rig COMMAND"
try rig help; expect "help lists the commands" 0 "run " "doctor "
try rig reprot; expect "unknown command is guessed" 64 "did you mean 'report'?"
try rig run; expect "run without a suite" 64 "usage: rig run"
try rig run ufs-irq "${AB[@]}"; expect "run without a board" 64 "--board is missing" "rig boards"
try rig run ufs-irq --board virt-ufs; expect "run without a baseline" 64 "--baseline is missing"
try rig run ufs-irq --bord x; expect "unknown option is guessed" 64 "did you mean --board?"
try rig run ufs-irq --board virt-usf "${AB[@]}"
expect "wrong board lists the known ones" 64 "virt-usf" "virt-ufs"
try rig run ufs-riq --board virt-ufs "${AB[@]}"
expect "unknown suite lists the known ones" 64 "ufs-riq" "ufs-irq"
try with_data rig run ufs-irq --board virt-ufs --pairs none "${AB[@]}"
expect "wrong number of pairs" 64 "'none' is neither 'auto' nor a number"
try rig run ufs-irq --board virt-ufs --quick --profile full "${AB[@]}"
expect "two profiles" 64 "exclude each other"
try rig run ufs-irq --board virt-ufs --profile fast "${AB[@]}"
expect "unknown profile" 64 "fast" "quick"

# Kernels of the cache, by their id.
mkdir -p "$RIG_HOME/kernels"
cached() { # ID ARCH
	mkdir "$RIG_HOME/kernels/$1"
	sed "s/^id=.*/id=$1/; s/^arch=.*/arch=$2/; s/^board=.*/board=other/; \$ a name=ufs-irq:original" \
		"$work/entry/manifest" >"$RIG_HOME/kernels/$1/manifest"
}
cached 22e2d20953633be9 arm64
cached 22e2aaaaaaaaaaaa arm64
cached 0b9a7932e1c559df x86_64
by_id() { try with_data rig run ufs-irq --board virt-ufs --baseline "id:$1"; }
by_id 22e2; expect "an id that is not unique" 64 "'22e2' is not enough of an id: 2 kernels"
by_id 77; expect "an id that there is not" 64 "begins with '77'" "rig kernel list"
by_id 0b9a; expect "a kernel of another architecture" 64 \
	"kernel 0b9a7932e1c559df (ufs-irq:original) is built for x86_64, the board is arm64"

sed 's/^description:/descripton:/' suites/ufs-irq.yaml >"$work/typo.yaml"
line=$(grep -n '^descripton:' "$work/typo.yaml" | cut -d: -f1)
try rig run "$work/typo.yaml" --board virt-ufs "${AB[@]}"
expect "unknown suite key: file, line, column, guess" 64 "typo.yaml:$line:1:" "descripton" \
	'did you mean "description"?'
try rig suite check "$work/typo.yaml"
expect "suite check says the same" 64 "typo.yaml:$line:1:"

printf 'boards:\n  - name: b1\n    type: virt-ufs\n    cpu: 2\n' >"$work/lab.yaml"
try rig run ufs-irq --lab "$work/lab.yaml" --board b1 "${AB[@]}"
expect "unknown lab key: file, line, column, guess" 64 "lab.yaml:4:5:" 'did you mean "cpus"?'
try rigd --check --lab "$work/lab.yaml"; expect "rigd --check says the same" 64 "lab.yaml:4:5:"
try rig boards; n=$(grep -c '^virt-' "$work/out")
try rigd --check; expect "the built-in lab is fine" 0 "built-in lab: $n boards"

try with_data rig run ufs-irq --board virt-ufs --baseline original --candidate canary:broken
expect "a series that does not apply" 64 "hunk 2 does not apply" "canary:broken"
check "a failed build leaves no run directory" [ ! -e "$RIG_HOME/runs" ]

touch "$work/file"
try env RIG_HOME="$work/file/home" RIG_DATA="$data" rig run ufs-irq --board virt-ufs "${AB[@]}"
expect "a home that cannot be made" 64 "$work/file/home" "RIG_HOME"
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	mkdir -m 0555 "$work/closed"
	chmod 0755 "$work"
	try setpriv --reuid 65534 --clear-groups env RIG_HOME="$work/closed/home" \
		"$(command -v rig)" sessions
	expect "an unreadable home" 64 "closed/home"
fi

# No QEMU on the PATH: everything else a run needs is named by its path.
try env PATH=/nonexistent RIG_DATA="$data" RIG_HOME="$work/home2" "$root/build/bin/rig" run ufs-irq \
	--board virt-ufs --quick "${AB[@]}"
expect "missing QEMU" 3 "qemu-system-aarch64" "make setup"
check "a run that could not begin leaves no run directory" [ -z "$(ls "$work/home2/runs")" ]
try env PATH=/nonexistent "$root/build/bin/rig" doctor
expect "doctor names what is missing and the mend" 3 "BAD" "qemu aarch64" "mend: make setup"

try rig report; expect "report without a database" 64 "results.db"
try rig import "$work/entry"; expect "import of no run directory" 64 "$work/entry"
try rig sessions; expect "sessions of an empty store" 0 "SESSION"
try rig report; expect "report of an empty store" 64 "session"
try rig report 2020; expect "report of an unknown session" 64 "2020"

try rig power virt-ufs maybe; expect "power: unknown verb" 64 "'maybe'" "cycle"
try rig power virt-usf off; expect "power: unknown board is guessed" 64 "virt-ufs"
try rig power virt-ufs on; expect "power: a virtual board has no supply" 64 "rig console virt-ufs --kernel"
try rig power virt-ufs off; expect "power: off ends its process, or there is none" 0
try rig power virt-ufs status; expect "power: status" 0 "nobody uses it" "a process of this host"
try rig power virt-ufs off --supply usb; expect "power: unknown supply" 64 "'usb'"
try rig console virt-ufs; expect "console: of a board that does not run" 64 "--kernel" "rig log"
try rig console virt-ufs --until x; expect "console: --until without a limit" 64 "--for"
try rig console virt-ufs --power on --kernel x:y; expect "console: power and kernel" 64 "exclude"
try rig console virt-ufs --power up; expect "console: unknown action" 64 "'up'"
try rig doctor --format xml; expect "doctor: unknown format" 64 "'xml'"
try rig doctor --udev; expect "doctor: udev rules of virtual boards" 0 "65-rig.rules"
try rig doctor --udev --lab "$work/lab.yaml"; expect "doctor: no rules from a wrong lab" 64 "lab.yaml:4:5:"

try rig parse foi x; expect "unknown kind of output" 64 "did you mean 'fio'?"
try rig parse fio "$work/missing"; expect "output that is not there" 3 "$work/missing" "\"error\""
: >"$work/empty"
try rig parse fio "$work/empty"; expect "output without a result" 3 '"error":"empty"'

for command in run report gate sessions log import scan parse kernel suite boards power console doctor query db; do
	try rig $command --help
	expect "$command has a usage" 0 "usage: rig $command"
	mapfile -t options < <(grep -o -- '--[a-z-]*' "$work/out" | sort -u)
	for option in "${options[@]}"; do
		grep -qF -- "$option" rig/man/rig.1.scd && continue
		not_ok "the manual knows $command $option" "rig/man/rig.1.scd lacks it"
	done
	check "the manual has $command" grep -q "^\*$command\*" rig/man/rig.1.scd
done
for option in $(rigd --help | grep -o -- '--[a-z-]*' | sort -u); do
	check "the manual knows rigd $option" grep -qF -- "$option" rig/man/rigd.8.scd
done

finish
