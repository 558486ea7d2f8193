stepcast run --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --schedule d-kfac --parts ablation --fidelity analytic
