# copy data/job.csv
stepcast diagnose job.csv --slow-downs slow.csv > out.txt && head -4 slow.csv && stepcast run --workload resnet50-rtx2080ti-bs64 --cluster rtx2080ti-16x4-10gbe --nodes 4 --fidelity analytic --schedule dear \
  --slow recorded:file=slow.csv --slow episodes:factor=4,every=100,least=10,most=100,on=network,per=node --seeds 80 --verbose | sed -n '1,14p;/^Notes/,/^Inputs/p'
