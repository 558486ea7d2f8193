# copy data/small-trace.json
stepcast inspect small-trace.json
