stepcast run --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 2 --layout pp=2 --schedule 1f1b --set global_batch=64 --fidelity analytic
