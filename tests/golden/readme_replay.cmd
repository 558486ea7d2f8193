# copy data/small-trace.json
stepcast replay small-trace.json --device-speed 0.5
