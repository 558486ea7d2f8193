# exit 2
# before mkdir folder.json
stepcast run --workload folder.json --cluster rtx2080ti-16x4-10gbe --schedule dear
