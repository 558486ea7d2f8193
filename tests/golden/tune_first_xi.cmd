stepcast tune --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule dear --option fusion_buffer \
    --first 10MiB --xi 0.3 --trials 4 --fidelity analytic
