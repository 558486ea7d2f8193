# copy ../data/benchmarks/allreduce-2-nodes.log
# copy ../data/benchmarks/allreduce-4-nodes.log
# before stepcast calibrate allreduce-2-nodes.log allreduce-4-nodes.log --name mine --source 'our lab, 2026' -o curves.json
grep -e '"name"' -e '"source"' curves.json
