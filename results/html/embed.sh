#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A style sheet as C: embed.sh report.css > report-css.c
# Comments and indentation go; every line becomes one string.
set -eu

printf '/* Generated from %s by embed.sh. */\n' "$1"
printf '#include "results/report-html.h"\n\n'
printf 'const char report_css[] =\n'
sed -e 's/^[ \t]*//' -e '/^\/\*.*\*\/$/d' -e '/^$/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' \
	-e 's/^/\t"/' -e 's/$/\\n"/' "$1"
printf '\t"";\n'
