stepcast plan --workload transformer:model=gpt-22b --clusters dgx-a100 --gpus 64 --global-batch 64 --set zero=0,1 --set recompute=selective,full --schedules 1f1b,interleaved
