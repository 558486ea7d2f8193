stepcast explain scaling efficiency
