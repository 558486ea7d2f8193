# exit 2
stepcast demo --timeline t.json --json
