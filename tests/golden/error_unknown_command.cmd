# exit 2
stepcast runn
