# copy data/small-trace.json
# before stepcast import small-trace.json -o mine.json
stepcast run --workload mine.json --cluster ideal-1x2 --schedule ddp --verbose
