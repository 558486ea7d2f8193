stepcast run --workload bert-large-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --nodes 8 --schedule topka2a --set fusion=binary --verbose
