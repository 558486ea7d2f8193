stepcast compare --steps bsp=450000,hop=460000,prague-smart=480000 --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --slow bernoulli:factor=6,p=1/16
