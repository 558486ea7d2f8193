stepcast tune --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule dear --option fusion_buffer \
    --strategy random --seed 7 --trials 3 --fidelity analytic
