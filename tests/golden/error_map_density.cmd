# exit 2
stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules topka2a --set density=0.1,2 --map density
