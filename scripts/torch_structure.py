"""Layer times from the shapes of a PyTorch model and the law of a device (configs/devices): nothing is run on it.

A product takes the longer of its arithmetic and its traffic, at the rates that the device's law reaches, and a launch;
its backward pass is two products. What is no product moves its inputs and outputs, in backward twice as many.
"""
import collections
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
    """Multiply-accumulates of a layer's forward pass: the elements of its matrices for each row of the output."""
    weights = [shape for name, shape in parameters if name.endswith("weight") and len(shape) >= 2]
    if not weights or kind == "Embedding" or not output:
        return 0
    rows = math.prod(output) // output[1 if kind.startswith("Conv") else -1]
    return rows * sum(math.prod(weight) for weight in weights)


def times_of(layer, law, element, is_first=False):
    """(forward, backward) in seconds of {"macs", "inputs", "outputs", "weights"}, elements of each."""
    moved = (layer["inputs"] + layer["outputs"] + layer["weights"]) * element / law["bandwidth"]
    if not layer["macs"]:
        return (moved + law["launch"], 2 * moved + law["launch"]) if layer["outputs"] else (0.0, 0.0)
    product = max(layer["macs"] / law["macs"], moved) + law["launch"]
    return product, product * (1 if is_first else 2)  # nobody needs the gradient of the model's input


class Call:
    """One run of a module: the elements of its input, the shape of its output, and the parameters that it reads itself."""

    def __init__(self, name, module):
        self.name, self.module, self.inputs, self.output, self.parameters = name, module, 0, (), []


def is_leaf(module):
    return not any(True for _ in module.children())


def holders_of(network):
    """Names of the modules that hold parameters, at any depth."""
    holders = {""}
    for name, _ in network.named_parameters():
        path = name.split(".")[:-1]
        holders.update(".".join(path[:end]) for end in range(1, len(path) + 1))
    return holders


def recorded(torch, network, given):
    """Calls of every leaf module and of every module that holds parameters, in the order in which they start."""
    calls, running, hooks, holders = [], [], [], holders_of(network)

    def started(name):
        def hook(module, ins):
            calls.append(Call(name, module))
            running.append(calls[-1])
        return hook

    def ended(module, ins, out):
        first = out[0] if isinstance(out, (tuple, list)) else out
        first = getattr(first, "last_hidden_state", first)
        call = running.pop()
        call.inputs = sum(value.numel() for value in ins if isinstance(value, torch.Tensor))
        call.output = tuple(getattr(first, "shape", ()))
    for name, module in network.named_modules():
        if is_leaf(module) or name in holders:
            hooks += [module.register_forward_pre_hook(started(name)), module.register_forward_hook(ended)]
    try:
        with torch.no_grad():
            network(given)
    finally:
        for hook in hooks:
            hook.remove()
    return calls


def with_parameters(network, calls):
    """The calls that are layers: those of leaf modules and of modules that read parameters themselves.

    Attention reads the matrices of modules within it that are never called. Such a parameter belongs to the innermost
    module around it that is."""
    called = {call.name: call for call in reversed(calls)}
    read = {call.module: [] for call in calls}
    for name, module in network.named_modules():
        owner = name
        while owner not in called:
            owner = owner.rpartition(".")[0]
        for key, tensor in module.named_parameters(recurse=False):
            read[called[owner].module].append((f"{name}.{key}"[len(owner):].lstrip("."), tensor))
    for call in calls:
        call.parameters = read[call.module]
    return [call for call in calls if call.parameters or is_leaf(call.module)]


USUAL_IMAGES = (224, 299, 256, 384, 512, 331, 240, 448)


def runs_on(torch, network, inputs):
    try:
        recorded(torch, network, inputs)
    except (RuntimeError, AssertionError, NotImplementedError):
        return False
    return True


def advice_on(torch, network, inputs):
    """Which --image would do, if one of the usual sizes does; others than images have no such advice."""
    if inputs.dim() != 4:
        return "another --sequence may do"
    for size in USUAL_IMAGES:
        if size != inputs.shape[-1] and runs_on(torch, network, inputs.new_empty(*inputs.shape[:2], size, size)):
            return f"--image {size} does"
    return "another --image may do"


def walk(torch, model, inputs):
    """The calls of a step that are layers: on the meta device, which has shapes and no numbers."""
    try:
        network = model.to("meta")
        return with_parameters(network, recorded(torch, network, inputs.to("meta")))
    except NotImplementedError:
        raise ValueError("an operator of this model has no shapes on PyTorch's meta device; profile it instead") from None
    except (RuntimeError, AssertionError) as error:
        advice = advice_on(torch, network, inputs.to("meta"))
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"the model cannot run on this input; {advice} ({reason})") from None


def names_of(calls):
    """A name for each call: its module's, and for the second and later runs of a module "NAME.call2" and so on."""
    counts, taken, names = collections.Counter(), {call.name for call in calls}, []
    for call in calls:
        counts[call.name] += 1
        name = call.name or "model"
        if counts[call.name] > 1:
            name += f".call{counts[call.name]}"
            while name in taken:  # by a module of the model
                name += "_"
            taken.add(name)
        names.append(name)
    return names


def layers_of(calls, law, element, precision):
    layers, taken = [], set()
    has_trained = False  # Whether a layer so far has parameters: only then does the next one pass a gradient on.
    for name, call in zip(names_of(calls), calls):
        own = [(key, tensor) for key, tensor in call.parameters if tensor.requires_grad and id(tensor) not in taken]
        taken.update(id(tensor) for _, tensor in own)
        shapes = [(key, tuple(tensor.shape)) for key, tensor in call.parameters]
        kind = type(call.module).__name__
        elements = math.prod(call.output) if call.output else 0
        macs = macs_of(kind, shapes, call.output)
        weights = sum(math.prod(shape) for _, shape in shapes) if kind != "Embedding" else 0
        forward, backward = times_of({"macs": macs, "inputs": call.inputs, "outputs": elements, "weights": weights}, law,
                                     element, is_leaf(call.module) and not has_trained)
        has_trained = has_trained or (is_leaf(call.module) and bool(own))
        layer = {"name": name, "kind": kind, "forward_s": round(forward, 9), "backward_s": round(backward, 9)}
        if own:
            layer["parameters"] = [{"name": key, "elements": tensor.numel(), "dtype": precision} for key, tensor in own]
        if elements:
            layer["activation_bytes"] = elements * element
        layers.append(layer)
    return layers


def workload_of(torch, model, inputs, device_file, options, name):
    device = json.loads(device_file.read_text(encoding="utf-8"))
    law = law_of(device, device_file.parent, options.precision)
    element = ELEMENT[options.precision]
    calls = walk(torch, model, inputs)
    layers = layers_of(calls, law, element, options.precision)
    notes = [f"shapes: of {len(layers)} runs of {len({call.module for call in calls})} modules, on PyTorch's meta device",
             "products of two activations (attention scores) and functions that are no modules are left out"]
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
