# exit 2
# copy ../fuzz/corpus/workload/invalid_unknown_key.json
stepcast run --workload invalid_unknown_key.json --cluster rtx2080ti-16x4-10gbe --schedule dear
