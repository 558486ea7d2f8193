stepcast tune --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule hop --option max_gap --low 1 --high 16 --trials 4
