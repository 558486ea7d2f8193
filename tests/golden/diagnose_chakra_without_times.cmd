# copy data/graph-without-times.json
stepcast diagnose graph-without-times.json
