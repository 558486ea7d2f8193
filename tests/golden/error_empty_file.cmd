# exit 2
# before : > empty.json
stepcast run --workload empty.json --cluster rtx2080ti-16x4-10gbe --schedule dear
