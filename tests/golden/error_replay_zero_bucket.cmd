# exit 2
# copy data/small-trace.json
stepcast replay small-trace.json --cluster rtx2080ti-16x4-10gbe --bucket 0B
