# root
stepcast calibrate tests/data/benchmarks/allreduce-2-nodes.log tests/data/benchmarks/allreduce-4-nodes.log \
    tests/data/benchmarks/allreduce-8-nodes.log -o my-curves.json
