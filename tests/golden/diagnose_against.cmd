# copy data/job.csv
grep -v ',12,' job.csv > other.csv && stepcast diagnose job.csv --against other.csv
