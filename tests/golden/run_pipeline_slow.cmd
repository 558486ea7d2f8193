stepcast run --workload transformer:layers=4,hidden=1024,heads=16,seq=512,vocab=1000,device=a100 --cluster dgx-a100 --nodes 1 --schedule 1f1b --layout pp=2 --set micro_batch=1 --set global_batch=32 \
  --slow lognormal:sigma=0.1 --seeds 80 --fidelity analytic --verbose | sed -n '1,15p;/^Notes/,/^Layout/p'
