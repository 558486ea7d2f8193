# exit 2
# copy data/comm.json
stepcast inspect comm.json
