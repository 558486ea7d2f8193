stepcast compare --workload gpt2-rtx2080ti-bs32 --cluster rtx2080ti-16x4-10gbe --nodes 8 --schedules ddp,topk-allgather,topka2a,gtopk,ok-topk,omgs,dgc,sidco,powersgd,acp-sgd --set density=0.01
