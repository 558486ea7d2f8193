# exit 2
# copy ../fuzz/corpus/benchmark_log/invalid_truncated.json
stepcast calibrate invalid_truncated.json -o never.json
