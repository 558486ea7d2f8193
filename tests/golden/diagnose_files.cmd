# copy data/job.csv
stepcast diagnose job.csv --timeline t.json --figure f.svg --json > /dev/null && python3 -m json.tool t.json > /dev/null && head -c 4 f.svg
