# exit 2
# copy data/small-trace.json
# before sed 's/"dur": 70,/"dur": -70,/' small-trace.json > odd.json
stepcast import odd.json --strict -o mine.json
