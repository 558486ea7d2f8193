stepcast list clusters
