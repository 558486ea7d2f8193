# exit 2
# before stepcast derive resnet50 --device rtx2080ti --batch 32 --throughput 265 -o mine.json
stepcast replay mine.json
