# root
stepcast derive --hf tests/data/huggingface/qwen3-0.6b.json --device h100 --batch 1 --seq 2048 --precision fp16 | grep '"precision"'
