# copy data/small-trace.json
stepcast replay small-trace.json --without all-reduce
