# exit 2
# copy data/comm.json
stepcast import comm.json
