stepcast tune --workload bert-base-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --schedule dear --option fusion_buffer --trials 10
