# exit 2
stepcast run --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 4 --layout tp=8,pp=4 --schedule dualpipe --set global_batch=6
