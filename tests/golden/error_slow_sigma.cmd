# exit 2
stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --schedule ddp --fidelity analytic --slow lognormal:sigma=1000,on=network --seeds 5
