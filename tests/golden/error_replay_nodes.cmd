# exit 2
# copy data/small-trace.json
stepcast replay small-trace.json --cluster p102-32x1-1gbe --nodes 100000
