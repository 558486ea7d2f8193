# exit 2
stepcast compare --goal resnet50-imagenet --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --nodes 16384 --fidelity step --max-memory 100MB --workers 1
