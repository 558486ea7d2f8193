# copy data/two_stages.order
stepcast run --workload resnet50-v100-bs96 --cluster v100-4x8-edr --nodes 1 --gpus-per-node 2 --layout pp=2 --schedule pipeline --set order=@two_stages.order --set partition=time --verbose
