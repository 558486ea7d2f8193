# exit 2
# copy ../fuzz/corpus/benchmark_log/invalid_negative.txt
stepcast calibrate invalid_negative.txt -o never.json
