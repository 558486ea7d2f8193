# exit 2
stepcast run --workload ./missing.json --cluster rtx2080ti-16x4-10gbe --schedule dear
