# exit 2
# copy data/small-trace.json
stepcast replay small-trace.json --bucket 1MiB
