# exit 2
# copy ../fuzz/corpus/workload/invalid_truncated.json
stepcast run --workload invalid_truncated.json --cluster rtx2080ti-16x4-10gbe --schedule dear
