# exit 2
stepcast optimise --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule wfbp --edit "scale kind=backwards by=2"
