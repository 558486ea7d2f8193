"""Layer times from the shapes of a PyTorch model and the law of a device (configs/devices): nothing is run on it.

A product takes the longer of its arithmetic and its traffic, at the rates that the device's law reaches, and a launch;
its backward pass is two products. What is no product moves its inputs and outputs, in backward twice as many.
"""
import json
import math
import re

ELEMENT = {"fp32": 4, "fp16": 2, "bf16": 2}
UNITS = {"GBps": 1e9, "TBps": 1e12, "us": 1e-6, "ns": 1e-9, "ms": 1e-3}


def quantity(text):
    number, unit = re.fullmatch(r"([\d.]+)([A-Za-z]+)", text).groups()
    return float(number) * UNITS[unit]


def law_like(device, devices, precision):
    """The law of another device by the ratio of the data sheets."""
    law = device["law"]
    path = devices / f"{law['like']}.json"
    if not path.is_file():
        raise ValueError(f"{device['name']}: has the law of {law['like']}, which is not among {devices}")
    other = json.loads(path.read_text(encoding="utf-8"))
    peaks = [sheet.get("peak_tflops", {}).get(precision) for sheet in (law, other["law"])]
    if None in peaks:
        raise ValueError(f"{device['name']}: has no rate for {precision}; it has {', '.join(law['peak_tflops'])}")
    found = law_of(other, devices, precision)
    bandwidths = [quantity(each["memory_bandwidth"]) for each in (device, other)]
    return {"macs": found["macs"] * peaks[0] / peaks[1], "bandwidth": found["bandwidth"] * bandwidths[0] / bandwidths[1],
            "launch": found["launch"]}


def law_of(device, devices, precision):
    """Rate of multiply-accumulates, bandwidth and launch of a device file of a folder."""
    if "like" in device.get("law", {}):
        return law_like(device, devices, precision)
    products = device.get("law", {}).get("products", {})
    if precision in products:
        law = products[precision]
        return {"macs": law["peak_tflops"] * 1e12 / 2, "bandwidth": quantity(law["bandwidth"]),
                "launch": quantity(law["launch"])}
    if precision == "fp32" and "peak_fp32_tflops" in device:
        return {"macs": device["peak_fp32_tflops"] * 1e12 / 2, "bandwidth": quantity(device["memory_bandwidth"]),
                "launch": 0.0}
    raise ValueError(f"{device['name']}: has no rate for {precision}; it has {', '.join(products) or 'fp32'}")


def macs_of(kind, parameters, output):
    """Multiply-accumulates of a layer's forward pass: the elements of its matrix for each row that it is applied to."""
    weight = next((shape for name, shape in parameters if name == "weight" and len(shape) >= 2), None)
    if weight is None or kind == "Embedding" or not output:
        return 0
    rows = math.prod(output) // output[1 if kind.startswith("Conv") else -1]
    return rows * math.prod(weight)


def times_of(layer, law, element, is_first=False):
    """(forward, backward) in seconds of {"macs", "inputs", "outputs", "weights"}, elements of each."""
    moved = (layer["inputs"] + layer["outputs"] + layer["weights"]) * element / law["bandwidth"]
    if not layer["macs"]:
        return (moved + law["launch"], 2 * moved + law["launch"]) if layer["outputs"] else (0.0, 0.0)
    product = max(layer["macs"] / law["macs"], moved) + law["launch"]
    return product, product * (1 if is_first else 2)  # nobody needs the gradient of the model's input


def walk(torch, model, inputs):
    """Shapes of every leaf module's inputs and outputs, in the order in which they run: on the meta device, which has
    shapes and no numbers."""
    def recorded(network, given):
        seen = []

        def size_of(values):
            return sum(value.numel() for value in values if isinstance(value, torch.Tensor))

        def note(name):
            def hook(module, ins, out):
                first = out[0] if isinstance(out, (tuple, list)) else out
                first = getattr(first, "last_hidden_state", first)
                seen.append((name, module, size_of(ins), tuple(getattr(first, "shape", ()))))
            return hook
        hooks = [module.register_forward_hook(note(name or "model")) for name, module in network.named_modules()
                 if not any(True for _ in module.children())]
        try:
            with torch.no_grad():
                network(given)
        finally:
            for hook in hooks:
                hook.remove()
        return seen
    try:
        return recorded(model.to("meta"), inputs.to("meta"))
    except (NotImplementedError, RuntimeError):
        raise ValueError("an operator of this model has no shapes on PyTorch's meta device; profile it instead") from None


def layers_of(seen, law, element, precision):
    layers, taken = [], set()
    for name, module, inputs, output in seen:
        own = [(key, tensor) for key, tensor in module.named_parameters(recurse=False)
               if tensor.requires_grad and id(tensor) not in taken]
        taken.update(id(tensor) for _, tensor in own)
        shapes = [(key, tuple(tensor.shape)) for key, tensor in module.named_parameters(recurse=False)]
        kind = type(module).__name__
        elements = math.prod(output) if output else 0
        macs = macs_of(kind, shapes, output)
        weights = sum(math.prod(shape) for _, shape in shapes) if kind != "Embedding" else 0
        forward, backward = times_of({"macs": macs, "inputs": inputs, "outputs": elements, "weights": weights}, law,
                                     element, not layers)
        layer = {"name": name, "kind": kind, "forward_s": round(forward, 9), "backward_s": round(backward, 9)}
        if own:
            layer["parameters"] = [{"name": key, "elements": tensor.numel(), "dtype": precision} for key, tensor in own]
        if elements:
            layer["activation_bytes"] = elements * element
        layers.append(layer)
    return layers, taken


def workload_of(torch, model, inputs, device_file, options, name):
    device = json.loads(device_file.read_text(encoding="utf-8"))
    law = law_of(device, device_file.parent, options.precision)
    element = ELEMENT[options.precision]
    seen = walk(torch, model, inputs)
    layers, taken = layers_of(seen, law, element, options.precision)
    left_out = [key for key, tensor in model.named_parameters() if tensor.requires_grad and id(tensor) not in taken]
    notes = [f"shapes: of {len(layers)} modules, on PyTorch's meta device",
             "products of two activations (attention scores) and functions that are no modules are left out"]
    if left_out:
        notes.append("tensors outside leaf modules, left out: " + ", ".join(left_out[:8]))
    return {"format": "stepcast-workload", "version": 1, "name": f"{name}-{device['name']}-bs{options.batch}",
            "model": name, "device": device["name"], "batch": options.batch, "precision": options.precision,
            "batch_scaling": "proportional",
            "provenance": {"kind": "derived",
                           "source": f"scripts/profile_torch.py --structure, PyTorch {torch.__version__}: shapes of the "
                                     f"modules; law of {device['name']}: {device['provenance']['source']}",
                           "method": "a product takes the longer of its arithmetic and its traffic at the rates that the "
                                     "device's law reaches, its backward pass two of them; the rest moves what it reads "
                                     "and writes", "notes": notes},
            "layers": layers}
