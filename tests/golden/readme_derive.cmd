stepcast derive resnet50 --device rtx2080ti --batch 32 --throughput 265 -o mine.json
