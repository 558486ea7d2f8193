stepcast list presets
