# exit 2
# copy ../data/benchmarks/allreduce-2-nodes.log
# copy ../fuzz/corpus/benchmark_log/valid_osu.txt
stepcast calibrate allreduce-2-nodes.log valid_osu.txt=2x2
