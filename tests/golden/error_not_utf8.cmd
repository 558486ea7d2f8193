# exit 2
# copy ../fuzz/corpus/cluster/invalid_not_utf8.json
stepcast run --workload resnet50-rtx2080ti-bs64 --cluster invalid_not_utf8.json --schedule dear
