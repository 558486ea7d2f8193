# copy ../data/benchmarks/allreduce-2-nodes.log
# copy ../data/benchmarks/allreduce-4-nodes.log
# copy ../data/benchmarks/allreduce-8-nodes.log
stepcast calibrate allreduce-2-nodes.log allreduce-4-nodes.log allreduce-8-nodes.log --nccl pcie -o mine.json && grep '"nccl"' mine.json
