# exit 2
stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-ib100 --schedule dlrm --set skew=steep
