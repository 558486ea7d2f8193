# exit 2
# copy data/megatron-dated.log
stepcast import megatron-dated.log
