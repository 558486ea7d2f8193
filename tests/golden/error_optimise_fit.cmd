# exit 2
stepcast optimise --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 8 --layout tp=8,pp=4 --schedule 1f1b --memory 3GiB --set zero=1
