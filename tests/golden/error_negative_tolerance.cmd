# exit 2
stepcast validate --max-error -1
