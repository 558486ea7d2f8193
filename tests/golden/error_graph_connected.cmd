# exit 2
stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --gpus-per-node 2 --schedule d-psgd --set graph=inner-outer
