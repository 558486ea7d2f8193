# exit 2
stepcast optimise --workload transformer:model=gpt-22b,device=a100 --cluster dgx-a100 --nodes 8 --layout tp=8,pp=4 --schedule 1f1b --edit "scale rank=3 kind=backward by=0.5"
