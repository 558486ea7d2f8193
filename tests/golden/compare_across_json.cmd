stepcast compare --workload resnet50-v100-bs96 --cluster v100-32x4-edr --schedules ddp --nodes 8,16 --across nodes --json | grep -e iteration_time -e error_basis -e '"nodes": "'
