# exit 2
# copy data/browser-trace.json
stepcast inspect browser-trace.json
