stepcast show deepseek-v3
