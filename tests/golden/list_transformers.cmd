stepcast list transformers
