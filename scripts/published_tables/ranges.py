"""The ranges that the abstracts of K-FAC systems claim, beside forecasts.

PAD-KFAC, SPD-KFAC: speed-up of the step. DP-KFAC: what a step with a second-order update costs KAISA, over what it costs
DP-KFAC, forward, backward and gradients included, where KAISA keeps inverses on one rank (mem-opt), a quarter of them (hybrid)
or all (comm-opt). The claims: traces/published/claims/kfac-ranges.json."""
from published_tables.claims import FOLDER, ratios_of, two_places
from support.markdown import head, row, write
from support.program import json_in


def main(options):
    write(head("claim", "published", "predicted", "ResNet-50, ResNet-152, DenseNet-201, Inception-v4"))
    for claim, _, published, ratios in ratios_of(options.program, json_in(FOLDER / "kfac-ranges.json")):
        write(row(claim, published, f"{min(ratios):.2f} to {max(ratios):.2f}", two_places(ratios)))
