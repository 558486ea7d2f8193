# exit 2
stepcast scaling --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-ib100 --nodes 4,x
