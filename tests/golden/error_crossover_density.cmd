# exit 2
stepcast crossover --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --density 0.1,2
