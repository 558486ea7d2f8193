# exit 2
stepcast compare --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --nodes 4,x
