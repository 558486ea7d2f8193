# copy data/small-trace.json
# before grep -v -e nccl -e record_param small-trace.json | sed -e 's/Input Dims/x/' > bare.json
# before stepcast import bare.json --batch 8 --architecture resnet18 -o mine.json
stepcast compare --workload mine.json --cluster ideal-1x2 --schedules ddp,dear
