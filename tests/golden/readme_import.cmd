# copy data/small-trace.json
stepcast import small-trace.json -o mine.json
