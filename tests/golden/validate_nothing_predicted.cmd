# exit 2
# copy ../data/hardware/madeup-kernels.json
# before python3 -c 'import json; d = json.load(open("madeup-kernels.json")); d["points"] = d["points"][:1]; d["replays"] = []; json.dump(d, open("one.json", "w"))'
stepcast validate one.json --max-error 7
