# exit 2
# copy ../fuzz/corpus/benchmark_log/invalid_other.txt
stepcast calibrate invalid_other.txt
