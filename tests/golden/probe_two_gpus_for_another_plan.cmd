# exit 2
# copy ../data/hardware/two-task-plan.json
stepcast-probe replay two-task-plan.json --gpus 3
