stepcast show h200
