stepcast run --workload vgg16-cifar10-p102-bs128 --cluster p102-32x1-1gbe --schedule bsp --verbose
