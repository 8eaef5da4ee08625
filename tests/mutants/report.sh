#!/bin/bash
# report.sh BUILD FOLDER - the mutant table, the modules of tests/modules and 200 random runs without a mutant, as
# files.
set -euo pipefail
export LC_ALL=C
build=$1
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$here/run.sh" "$build/sensbench_mutants" "$build/mutants_row" | tee "$folder/mutants.tsv"
"$here/../modules/all.sh" "$build/sensbench" "$build/mutants_row" | tee "$folder/modules.txt"
"$here/false_alarms.sh" "$build/sensbench" 200 | tee "$folder/false_alarms.txt"
