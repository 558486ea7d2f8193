# exit 2
stepcast scaling --help
