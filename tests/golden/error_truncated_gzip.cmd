# exit 2
# copy data/small-trace.json
# before gzip -c small-trace.json | head -c 600 > cut.json.gz
stepcast import cut.json.gz -o mine.json
