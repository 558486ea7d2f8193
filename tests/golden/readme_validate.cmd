stepcast validate
