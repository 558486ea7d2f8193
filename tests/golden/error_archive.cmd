# exit 2
# copy data/small-trace.json
# before tar -czf trace.tar.gz small-trace.json
stepcast import trace.tar.gz -o mine.json
