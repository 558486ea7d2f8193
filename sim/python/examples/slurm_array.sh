#!/usr/bin/env bash
# A comparison as a job array of Slurm, and its parts put together when all are done:
#   sbatch --wait --array=1-8 slurm_array.sh PARTS --workload W --cluster C --nodes 2,4,8,16
#   stepcast merge PARTS/part-*
# PARTS is a folder that all nodes see. A task that is lost is done again by its number: --array=3.
#SBATCH --cpus-per-task=1
#SBATCH --job-name=stepcast
set -euo pipefail
parts=$1
shift
mkdir -p "$parts"
exec "${STEPCAST:-stepcast}" compare "$@" --workers "${SLURM_CPUS_PER_TASK:-1}" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_MAX" -o "$parts/part-$SLURM_ARRAY_TASK_ID"
