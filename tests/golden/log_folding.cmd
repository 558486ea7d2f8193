# replace moved [0-9]+ flows as [0-9]+, of which [0-9]+ => moved (some) flows as (fewer), of which (some)
for schedule in dear kaisa; do
  STEPCAST_LOG=debug stepcast run --workload resnet50-rtx2080ti-bs32 --cluster rtx2080ti-16x4-ib100 --nodes 4 \
      --schedule $schedule 2>&1 >/dev/null | grep 'flows were';
done
