stepcast schema workload
