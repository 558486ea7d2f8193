stepcast-probe --dry-run --quick
