stepcast plan --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-10gbe --gpus 8,16 --schedules ddp,dear --samples 1e7 --deadline 12h --json
