stepcast run --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 4 --layout tp=8,pp=4 --schedule 1f1b --set global_batch=32 --set recompute=full --verbose
