stepcast plan --workload transformer:model=gpt-7.5b --clusters dgx-a100 --gpus 64 --global-batch 256 --samples 1e6 --schedules 1f1b,fsdp
