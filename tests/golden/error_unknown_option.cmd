# exit 2
stepcast run --worklaod x
