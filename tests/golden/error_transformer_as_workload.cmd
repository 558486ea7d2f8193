# exit 2
stepcast run --workload gpt3-175b --cluster dgx-a100 --schedule 1f1b
