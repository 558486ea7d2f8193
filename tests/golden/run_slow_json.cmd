stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule ddp --nodes 2 --fidelity analytic \
    --slow lognormal:sigma=0.14 --seeds 80 --json
