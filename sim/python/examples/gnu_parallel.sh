#!/usr/bin/env bash
# A comparison in shards by GNU parallel, on this machine or on those of --sshlogin (which then need the same folder):
#   gnu_parallel.sh 8 PARTS --workload W --cluster C --nodes 2,4,8,16
# What failed is done again when it is called again.
set -euo pipefail
shards=$1 parts=$2
shift 2
mkdir -p "$parts"
program=${STEPCAST:-stepcast}
parallel --halt soon,fail=1 --retries 3 --joblog "$parts/log" --resume-failed \
  "$program" compare "$@" --workers 1 --shard "{}/$shards" -o "$parts/part-{}" ::: $(seq "$shards")
exec "$program" merge "$parts"/part-*
