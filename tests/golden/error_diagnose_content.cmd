# root
# exit 2
stepcast diagnose configs/glossary.json
