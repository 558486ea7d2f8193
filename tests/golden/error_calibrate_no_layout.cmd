# exit 2
# copy ../fuzz/corpus/benchmark_log/valid_osu.txt
stepcast calibrate valid_osu.txt
