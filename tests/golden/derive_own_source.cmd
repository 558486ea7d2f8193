stepcast derive resnet18 --device rtx2080ti --batch 32 --step-time 50ms --forward-fraction 0.3 --name mine \
    --source 'a run of my own' | grep -m 8 -e '"name": "mine"' -e 'a run of my own' -e forward_s
