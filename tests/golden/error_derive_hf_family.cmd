# exit 2
# root
stepcast derive --hf tests/data/huggingface/unknown-family.json --device h100 --batch 1 --seq 2048
