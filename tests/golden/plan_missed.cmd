stepcast plan --workload bert-base-rtx2080ti-bs64 --clusters rtx2080ti-16x4-10gbe --gpus 16,32 --schedules ddp,dear --samples 1e8 --deadline 12h --budget 50
