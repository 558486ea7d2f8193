# exit 2
# copy ../fuzz/corpus/workload/invalid_no_layers.json
stepcast run --workload invalid_no_layers.json --cluster rtx2080ti-16x4-10gbe --schedule dear
