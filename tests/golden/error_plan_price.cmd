# exit 2
# copy data/prices-of-nothing.json
stepcast plan --workload resnet50-rtx2080ti-bs32 --clusters rtx2080ti-16x4-10gbe --prices prices-of-nothing.json
