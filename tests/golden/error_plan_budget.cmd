# exit 2
stepcast plan --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-10gbe --budget 0
