#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Tune and untune: by the DUT's own fingerprints the state after a suite is the state before it, also
# when a workload dies in the middle. That what tune sets is different meanwhile is shown as well.
# shellcheck source=../vmlib.sh
. "$(dirname "$0")/../vmlib.sh"
need_kernels ufs-irq:original
entry=$(rig kernel build --board virt-ufs ufs-irq:original 2>/dev/null)

# plan FILE RUNTIME: one visit; a runtime that is none makes fio fail.
plan() {
	local setup='"timeout_ms":30000,"pause_ms":0,"target":"ufs:0","args":[]'
	cat >"$1" <<-END
	{"format":1,
	 "suite":{"name":"tune","hash":"$(printf '%064d' 0)","profile":"","notes":[]},
	 "board":"virt-ufs",
	 "kernels":[{"label":"a","series":"ufs-irq","variant":"original","id":"$(basename "$entry")",
	  "entry":"$entry","cmdline":""}],
	 "pairs":{"fixed":1,"min":1,"max":1},"warmup":0,
	 "steps":[{"kind":"fingerprint",$setup},{"kind":"tune",$setup},{"kind":"fingerprint",$setup},
	  {"kind":"fio","workload":"randread/1","target":"ufs:0","timeout_ms":30000,"pause_ms":0,
	   "args":["--name=r","--rw=randread","--bs=4k","--size=1m","--runtime=$2","--time_based",
	   "--filename={target}"]},
	  {"kind":"noop","workload":"noop","timeout_ms":30000,"pause_ms":0,"args":[]},
	  {"kind":"untune",$setup},{"kind":"fingerprint",$setup}],
	 "metrics":[]}
	END
}

# differ A B: the keys in which two fingerprints differ, but for what counts on by itself, and for USB
# and disks that A does not have: such devices appear a while after the kernel is up.
differ() {
	python3 - "$1" "$2" <<-'END'
	import json, re, sys

	def flat(value, path, out):
	    if isinstance(value, dict):
	        for key in value:
	            flat(value[key], path + "." + key, out)
	    elif isinstance(value, list):
	        for i, item in enumerate(value):
	            known = item.get("name", i) if isinstance(item, dict) else i
	            flat(item, "%s[%s]" % (path, known), out)
	    else:
	        out[path] = value

	counts = re.compile(r"cpu_counts|mem|temp|uptime|thermal|^\.usb", re.I)
	a, b = {}, {}
	for name, out in zip(sys.argv[1:], (a, b)):
	    flat(json.load(open(name)), "", out)
	late = tuple(key[:-len("name")] for key in b if key.endswith("].name") and key not in a)
	for key in sorted(set(a) | set(b)):
	    if a.get(key) != b.get(key) and not counts.search(key) and not key.startswith(late):
	        print(key, a.get(key), "->", b.get(key))
	END
}

# run NAME RUNTIME: sets $before $tuned $after to its three fingerprints.
run() {
	plan "$work/$1.json" "$2"
	try rig-job --plan "$work/$1.json" --dir "$RIG_HOME/runs/$1"
	local visit=$RIG_HOME/runs/$1/visits/001-a
	before=$visit/steps/00-fingerprint/fingerprint.json
	tuned=$visit/steps/02-fingerprint/fingerprint.json
	after=$visit/steps/06-fingerprint/fingerprint.json
}

run good 1
expect "a suite that runs to its end" 0
check "tune changes something" [ -n "$(differ "$before" "$tuned")" ]
differ "$before" "$tuned" | sed 's/^/  /'
check "the visit's fingerprint is the tuned one" cmp -s "$tuned" "$RIG_HOME/runs/good/visits/001-a/fingerprint.json"
check "after untune all is as before" [ -z "$(differ "$before" "$after")" ]

run dies none
expect "a suite that dies in the middle" 3
check "dies: no step after it but those that put things back" [ ! -e "$RIG_HOME/runs/dies/visits/001-a/steps/04-noop" ]
check "dies: it was tuned then" [ -n "$(differ "$before" "$tuned")" ]
check "dies: after untune all is as before" [ -z "$(differ "$before" "$after")" ]
differ "$before" "$after" | sed 's/^/  /'
finish
