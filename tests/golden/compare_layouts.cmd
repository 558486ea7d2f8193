stepcast compare --workload transformer:model=gpt-1.7b,device=a100 --cluster dgx-a100 --nodes 2 --schedules fsdp,1f1b --layout tp=2 --layout tp=2,pp=4 --set global_batch=128 --fidelity analytic
