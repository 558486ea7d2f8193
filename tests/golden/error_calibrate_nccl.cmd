# exit 2
# copy ../data/benchmarks/allreduce-2-nodes.log
stepcast calibrate allreduce-2-nodes.log --nccl wire
