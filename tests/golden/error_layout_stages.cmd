# exit 2
stepcast run --workload transformer:model=gpt-3.6b,device=a100 --cluster dgx-a100 --nodes 32 --layout pp=64 --schedule 1f1b
