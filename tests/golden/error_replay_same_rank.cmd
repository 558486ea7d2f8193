# exit 2
# copy data/small-trace.json
# before cp small-trace.json again.json
stepcast replay small-trace.json again.json
