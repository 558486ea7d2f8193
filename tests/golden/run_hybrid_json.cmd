# replace "simgrid_version": "[^"]+" => "simgrid_version": "3.32"
stepcast run --workload transformer:model=mixtral-8x7b,device=h100 --cluster dgx-h100 --nodes 4 --layout tp=2,pp=4,ep=4 --schedule interleaved --set global_batch=32 --set sequence_parallel=yes --set zero=1 --json
