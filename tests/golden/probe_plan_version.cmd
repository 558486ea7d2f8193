# exit 2
# copy ../data/hardware/two-task-plan.json
# before sed 's/"version": 1/"version": 2/' two-task-plan.json > plan.json
stepcast-probe replay plan.json
