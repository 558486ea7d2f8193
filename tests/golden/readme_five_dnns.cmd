stepcast compare five-dnns --across schedule
