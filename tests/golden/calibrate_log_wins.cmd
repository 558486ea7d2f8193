# copy ../data/benchmarks/allreduce-2-nodes.log
# copy ../data/benchmarks/allreduce-4-nodes.log
stepcast calibrate allreduce-2-nodes.log=1x4 allreduce-4-nodes.log --kind broadcast
