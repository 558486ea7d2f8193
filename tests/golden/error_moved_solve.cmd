# exit 2
stepcast solve --json resnet50-imagenet --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --iterations dp-kfac=9
