stepcast demo
