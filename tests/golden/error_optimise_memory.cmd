# exit 2
stepcast optimise --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --nodes 16384 --fidelity step --schedule dear --max-memory 1GB
