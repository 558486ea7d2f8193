stepcast compare --goal deep-auc --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --nodes 4 --gpus-per-node 1
