# exit 2
# copy data/small-trace.json
stepcast replay small-trace.json --device-speed 1e-300
