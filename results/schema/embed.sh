#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The schema as C: embed.sh 001.sql 002.sql ... > schema.c
# Each file becomes one row of schema_steps[], and takes the database from version N - 1 to N.
set -eu

printf '/* Generated from results/schema by embed.sh. */\n'
printf '#include "results/schema.h"\n\n'
printf 'const struct schema_step schema_steps[] = {\n'
want=1
for file; do
	name=${file##*/}
	number=$(printf '%s\n' "${name%.sql}" | sed 's/^0*//')
	if [ "$number" != "$want" ]; then
		echo "embed.sh: $file: expected number $want" >&2
		exit 1
	fi
	printf '\t{ %s, "%s",\n' "$number" "$name"
	sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/\t/\\t/g' -e 's/^/\t  "/' -e 's/$/\\n"/' "$file"
	printf '\t},\n'
	want=$((want + 1))
done
printf '};\n\nconst size_t schema_steps_n = sizeof(schema_steps) / sizeof(schema_steps[0]);\n'
