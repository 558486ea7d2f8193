stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedules bsp,hop --nodes 2,4 --fidelity analytic --slow rank=3,factor=5
