# exit 2
stepcast scaling --workload resnet50-rtx2080ti-bs64 --clusters ideal-1x2 --nodes 2,4 --json
