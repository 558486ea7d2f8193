stepcast compare --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --schedules ddp,d-psgd,prague-smart --slow rank=3,factor=5
