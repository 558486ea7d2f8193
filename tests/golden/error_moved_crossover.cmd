# exit 2
stepcast crossover --workload vgg16-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --density 0.01,0.1 --svg map.svg
