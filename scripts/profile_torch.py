#!/usr/bin/env python3
"""Profiles the training step of a model with PyTorch and writes a StepCast workload.

Each leaf module becomes a layer with its forward and backward time (median over the steps), its
tensors, the bytes of its output and, for convolutions and linear layers, the sizes of its Kronecker
factors. Times come from CUDA events on a GPU and from the host's clock on a CPU; the spread between
steps, the order in which gradients become ready, the optimiser's time and the software versions are
written into the provenance.

How backward is timed: a hook on the output of each module runs when its gradient arrives, that is
when the module's backward pass begins; it lasts until the next module's begins. In-place modules
are run out of place, as the hooks need their outputs.

Models: torchvision:resnet50, timm:resnet50, transformers:bert-base-uncased (from its configuration,
with random weights), or tiny, a small network for trying this out.

Examples:
  scripts/profile_torch.py torchvision:resnet50 --batch 64 -o resnet50-h200-bs64.json
  scripts/profile_torch.py transformers:bert-base-uncased --batch 64 --sequence 64 -o bert.json
  scripts/profile_torch.py tiny --device cpu --batch 8 -o tiny.json

Without the GPU: --structure takes the modules' shapes only and gives them times by the law of the device that
--device-name names (configs/devices); nothing is run. A product takes the longer of its arithmetic and its traffic, at the
rates that the law reaches, and a launch; its backward pass is two products. Everything else moves its inputs and outputs, in
backward twice as many.
  scripts/profile_torch.py torchvision:resnet50 --structure --device-name a100 --batch 64 -o resnet50-a100.json
"""
import argparse
import collections
import json
import math
import os
import pathlib
import platform
import re
import statistics
import sys
import time

# PyTorch's names of types as workloads have them; others are written as fp32.
DTYPES = {"torch.float64": "fp64", "torch.float32": "fp32", "torch.float16": "fp16", "torch.bfloat16": "bf16"}
ELEMENT = {"fp32": 4, "fp16": 2, "bf16": 2}  # bytes
UNITS = {"GBps": 1e9, "TBps": 1e12, "us": 1e-6, "ns": 1e-9, "ms": 1e-3}
DEVICES = pathlib.Path(__file__).resolve().parents[1] / "configs/devices"
BRANDS = {"nvidia", "tesla", "geforce", "quadro", "amd", "instinct"}
LONG = 0.01  # Share of a step's layer times from which a layer is noticed.
torch = None  # Imported once the arguments are known to be good: help needs no PyTorch.


def import_torch():
    global torch
    try:
        import torch as imported
    except ImportError:
        sys.exit("profile_torch.py: PyTorch is not installed for this Python (Debian: python3-torch)")
    torch = imported


class Parser(argparse.ArgumentParser):
    """Refuses wrong arguments in one line. This file is alone where it is copied to another machine."""

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}; see {self.prog} --help\n")


def arguments():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="torchvision:NAME, timm:NAME, transformers:NAME or tiny")
    parser.add_argument("--batch", type=int, default=32, help="samples per step (32)")
    parser.add_argument("--image", type=int, default=224, help="height and width of images (224)")
    parser.add_argument("--sequence", type=int, default=64, help="tokens of a text (64)")
    parser.add_argument("--device", default="", help="cuda, cuda:1, cpu, ...; default: cuda if there is one, else cpu")
    parser.add_argument("--device-name", default="", help="for names, e.g. h200; default: from the device")
    parser.add_argument("--optimizer", default="sgd", choices=["sgd", "adam"])
    parser.add_argument("--warm-up", type=int, default=10, help="steps that are not counted (10)")
    parser.add_argument("--steps", type=int, default=30, help="steps that are (30)")
    parser.add_argument("--structure", action="store_true", help="run nothing: times by shapes and the device's law")
    parser.add_argument("--precision", default="fp32", choices=["fp32", "fp16", "bf16"], help="of --structure (fp32)")
    parser.add_argument("-o", "--output", required=True, help="workload file to write")
    chosen = parser.parse_args()
    for name in ("batch", "image", "sequence", "steps"):
        if getattr(chosen, name) < 1:
            parser.error(f"--{name}: expected 1 or more")
    if chosen.warm_up < 0:
        parser.error("--warm-up: expected 0 or more")
    if chosen.structure and not (DEVICES / f"{chosen.device_name}.json").is_file():
        parser.error("--structure: --device-name: expected one of " + ", ".join(sorted(f.stem for f in DEVICES.glob("*.json"))))
    return chosen


class Clock:
    """Marks in time, read when a step is over."""

    def __init__(self, device):
        self.cuda = torch.device(device).type == "cuda"

    def mark(self):
        if not self.cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def wait(self):
        if self.cuda:
            torch.cuda.synchronize()

    def seconds(self, begin, end):
        return begin.elapsed_time(end) * 1e-3 if self.cuda else end - begin


def tiny():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
                               torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(), torch.nn.Linear(128, 10))


def load(name, options):
    """The model, its input, and a function from its output to the loss."""
    family, _, model = name.partition(":")
    images = torch.randn(options.batch, 3, options.image, options.image)
    first = lambda output: (output[0] if isinstance(output, tuple) else getattr(output, "logits", output))
    loss = lambda output: first(output).float().square().mean()
    if family == "tiny":
        return tiny(), images, loss
    try:
        if family == "torchvision":
            import torchvision
            return torchvision.models.get_model(model) if hasattr(torchvision.models, "get_model") else \
                getattr(torchvision.models, model)(), images, loss
        if family == "timm":
            import timm
            return timm.create_model(model), images, loss
        if family == "transformers":
            import transformers
            config = transformers.AutoConfig.from_pretrained(model)
            network = transformers.AutoModelForMaskedLM.from_config(config)
            tokens = torch.randint(0, config.vocab_size, (options.batch, options.sequence))
            return network, tokens, loss
    except ImportError as error:
        sys.exit(f"profile_torch.py: {name}: {error}")
    except (AttributeError, ValueError, OSError, RuntimeError) as error:
        sys.exit(f"profile_torch.py: {name}: no such model: {str(error).splitlines()[0]}")
    sys.exit(f"profile_torch.py: {name}: expected torchvision:, timm:, transformers: or tiny")


def tensor_of(value):
    while isinstance(value, (tuple, list)) and value:
        value = value[0]
    return value if isinstance(value, torch.Tensor) else None


def is_leaf(module):
    return not any(True for _ in module.children())


def untaken(parameters, taken):
    """The trained tensors that no layer has taken yet, which are taken by this."""
    own = [(key, tensor) for key, tensor in parameters if tensor.requires_grad and id(tensor) not in taken]
    taken.update(id(tensor) for _, tensor in own)
    return own


def layer_fields(name, module, times, own, dtype_of, activation_bytes):
    """A layer of a workload file. `times`: seconds of the forward and the backward pass."""
    layer = {"name": name, "kind": type(module).__name__, "forward_s": round(times[0], 9), "backward_s": round(times[1], 9)}
    if own:
        layer["parameters"] = [{"name": key, "elements": tensor.numel(), "dtype": dtype_of(tensor)} for key, tensor in own]
    if activation_bytes:
        layer["activation_bytes"] = activation_bytes
    return layer


class Recorder:
    """Marks the begin and end of every leaf module's passes, in one step at a time."""

    def __init__(self, model, clock):
        self.clock = clock
        self.leaves = [(name or "model", module) for name, module in model.named_modules() if is_leaf(module)]
        self.shapes = {}
        self.reset()
        for name, module in self.leaves:
            if getattr(module, "inplace", False):
                module.inplace = False
            module.register_forward_pre_hook(lambda module, inputs, name=name: self.begin(name))
            module.register_forward_hook(lambda module, inputs, output, name=name: self.end(name, output))
        for name, parameter in model.named_parameters():
            parameter.register_hook(lambda gradient, name=name: self.ready.append(name))

    def reset(self):
        self.begins, self.forward, self.backward, self.ready = {}, [], [], []

    def begin(self, name):
        self.begins[name] = self.clock.mark()

    def end(self, name, output):
        self.forward.append((name, self.begins[name], self.clock.mark()))
        tensor = tensor_of(output)
        if tensor is None:
            return
        self.shapes[name] = (tuple(tensor.shape), tensor.element_size())
        if tensor.requires_grad:
            tensor.register_hook(lambda gradient, name=name: self.backward.append((name, self.clock.mark())))

    def times(self, end):
        """Seconds of each layer's forward and backward pass in the step that ended at `end`."""
        forward, backward = {}, {}
        for name, begin, finish in self.forward:
            forward[name] = forward.get(name, 0) + self.clock.seconds(begin, finish)
        for (name, begin), (_, following) in zip(self.backward, self.backward[1:] + [("", end)]):
            backward[name] = backward.get(name, 0) + self.clock.seconds(begin, following)
        return forward, backward


def run_steps(model, inputs, loss_of, optimizer, recorder, options):
    """Per counted step: forward and backward by layer, optimiser and step seconds, order of gradients."""
    clock = recorder.clock
    steps = []
    for step in range(options.warm_up + options.steps):
        recorder.reset()
        optimizer.zero_grad()
        begin = clock.mark()
        loss_of(model(inputs)).backward()
        computed = clock.mark()
        optimizer.step()
        end = clock.mark()
        clock.wait()
        if step >= options.warm_up:
            steps.append((*recorder.times(computed), clock.seconds(computed, end), clock.seconds(begin, end),
                          list(recorder.ready)))
    return steps


def spread_of(values):
    """Interquartile range over median."""
    if len(values) < 4 or statistics.median(values) == 0:
        return 0
    low, _, high = statistics.quantiles(values, n=4)
    return (high - low) / statistics.median(values)


def kronecker_of(module, shape):
    bias = 0 if getattr(module, "bias", None) is None else 1
    if isinstance(module, torch.nn.Conv2d) and len(shape) == 4:
        height, width = module.kernel_size
        return {"a": module.in_channels // module.groups * height * width + bias, "g": module.out_channels,
                "rows": shape[0] * shape[2] * shape[3]}
    if isinstance(module, torch.nn.Linear):
        return {"a": module.in_features + bias, "g": module.out_features, "rows": math.prod(shape[:-1])}
    return None


def layer_of(name, module, recorder, steps, taken):
    """None for a module that the step never ran and that has no tensors."""
    forward = [step[0].get(name, 0) for step in steps]
    backward = [step[1].get(name, 0) for step in steps]
    own = untaken(module.named_parameters(recurse=False), taken)
    shape, element = recorder.shapes.get(name, ((), 0))
    if not own and not any(forward):
        return None
    layer = layer_fields(name, module, (statistics.median(forward), max(0.0, statistics.median(backward))), own,
                         lambda tensor: DTYPES.get(str(tensor.dtype), "fp32"), math.prod(shape) * element if shape else 0)
    kronecker = kronecker_of(module, shape) if own and shape else None
    if kronecker:
        layer["kronecker"] = kronecker
    return layer


def layer_spread_note(steps):
    """How far the times of one layer in one direction lie apart: of the median one, and the widest of the long ones."""
    times = {}
    for step in steps:
        for direction, layers in (("forward", step[0]), ("backward", step[1])):
            for name, seconds in layers.items():
                times.setdefault(f"{name} {direction}", []).append(seconds)
    spreads = {name: spread_of(values) for name, values in times.items()}
    total = sum(statistics.median(values) for values in times.values())
    long = [name for name, values in times.items() if statistics.median(values) >= LONG * total > 0]
    if not long:
        return "layer times: none above zero"
    widest = max(long, key=lambda name: (spreads[name], name))
    return (f"interquartile range of a layer's time over its median: {100 * statistics.median(spreads.values()):.1f} % "
            f"(median layer); widest of the long ones: {widest} with {100 * spreads[widest]:.1f} %")


def order_note(ready, layers):
    """Whether gradients come in reverse forward order, as schedules assume."""
    owners = {p["name"] if layer["name"] == "model" else f"{layer['name']}.{p['name']}": i
              for i, layer in enumerate(layers) for p in layer.get("parameters", [])}
    seen = [owners[name] for name in ready if name in owners]
    late = sum(1 for before, after in zip(seen, seen[1:]) if after > before)
    if late == 0:
        return "gradients became ready in reverse forward order of the layers"
    return (f"gradients became ready in reverse forward order of the layers but for {late} places; the order began "
            + ", ".join(ready[:8]))


def name_of_gpu(gpu, folder=DEVICES):
    """The device file that says PyTorch's name of the GPU among its "profiler_names", else the name's own words."""
    for file in sorted(folder.glob("*.json")):
        device = json.loads(file.read_text(encoding="utf-8"))
        if gpu in device.get("profiler_names", []):
            return device["name"]
    words = re.findall("[a-z0-9]+", gpu.lower())
    return "-".join(word for word in words if word not in BRANDS) or "gpu"


def device_name(options):
    if options.device_name:
        return options.device_name
    if torch.device(options.device).type == "cpu":
        return "cpu"
    return name_of_gpu(torch.cuda.get_device_name())


def workload_of(name, layers, steps, options):
    device = device_name(options)
    model = name.rpartition(":")[2]
    cuda = torch.device(options.device).type == "cuda"
    hardware = torch.cuda.get_device_name() if cuda else f"a CPU ({platform.machine()}, {torch.get_num_threads()} threads)"
    whole = [step[3] for step in steps]
    layered = [sum(step[0].values()) + sum(step[1].values()) for step in steps]
    software = f"PyTorch {torch.__version__}" + (f", CUDA {torch.version.cuda}" if cuda else "")
    update = statistics.median(step[2] for step in steps)
    notes = [f"step: median {statistics.median(whole):.6g} s over {len(whole)} steps after {options.warm_up} of warm-up, "
             f"interquartile range {100 * spread_of(whole):.1f} %",
             f"layers: {statistics.median(layered):.6g} s a step, interquartile range {100 * spread_of(layered):.1f} %; "
             "the rest of the step is the loss, the update and gaps between kernels",
             layer_spread_note(steps),
             f"optimiser: {options.optimizer}, median {update:.6g} s a step: the update",
             order_note(steps[-1][4], layers)]
    return {"format": "stepcast-workload", "version": 1, "name": f"{model}-{device}-bs{options.batch}",
            "model": model, "device": device, "batch": options.batch, "precision": "fp32",
            "provenance": {"kind": "measured", "source": f"scripts/profile_torch.py on {hardware}, {software}",
                           "method": ("CUDA events" if cuda else "the host's clock") +
                           " around each module's forward pass and between the arrivals of gradients; medians",
                           "notes": notes},
            "update_s": round(update, 9), "layers": layers}


def text_of(workload):
    """JSON with a layer a line."""
    lines = ",\n".join("    " + json.dumps(layer) for layer in workload["layers"])
    head = json.dumps({key: value for key, value in workload.items() if key != "layers"}, indent=2)
    return f'{head[:-2]},\n  "layers": [\n{lines}\n  ]\n}}\n'


def write(workload, output):
    temporary = pathlib.Path(f"{output}.tmp{os.getpid()}")
    temporary.write_text(text_of(workload), encoding="utf-8")
    temporary.replace(output)
    layers = workload["layers"]
    print(f"{workload['name']}: {len(layers)} layers, {1e3 * sum(l['forward_s'] for l in layers):.3f} ms forward, "
          f"{1e3 * sum(l['backward_s'] for l in layers):.3f} ms backward; written to {output}", file=sys.stderr)


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
        own = untaken(call.parameters, taken)
        shapes = [(key, tuple(tensor.shape)) for key, tensor in call.parameters]
        kind = type(call.module).__name__
        elements = math.prod(call.output) if call.output else 0
        macs = macs_of(kind, shapes, call.output)
        weights = sum(math.prod(shape) for _, shape in shapes) if kind != "Embedding" else 0
        times = times_of({"macs": macs, "inputs": call.inputs, "outputs": elements, "weights": weights}, law, element,
                         is_leaf(call.module) and not has_trained)
        has_trained = has_trained or (is_leaf(call.module) and bool(own))
        layers.append(layer_fields(name, call.module, times, own, lambda tensor: precision, elements * element))
    return layers


def workload_of_shapes(torch, model, inputs, device_file, options, name):
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


def write_structure(options):
    model, inputs, _ = load(options.model, options)
    name = options.model.rpartition(":")[2]
    try:
        workload = workload_of_shapes(torch, model.train(), inputs, DEVICES / f"{options.device_name}.json", options, name)
    except ValueError as error:
        sys.exit(f"profile_torch.py: --structure: {error}")
    write(workload, options.output)


def main():
    options = arguments()
    import_torch()
    if options.structure:
        return write_structure(options)
    options.device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    try:
        torch.zeros(1, device=options.device)
    except (RuntimeError, AssertionError) as error:
        sys.exit(f"profile_torch.py: --device {options.device}: {str(error).splitlines()[0]}")
    model, inputs, loss_of = load(options.model, options)
    model, inputs = model.to(options.device).train(), inputs.to(options.device)
    rate = {"lr": 1e-6}
    optimizer = torch.optim.Adam(model.parameters(), **rate) if options.optimizer == "adam" else \
        torch.optim.SGD(model.parameters(), momentum=0.9, **rate)
    recorder = Recorder(model, Clock(options.device))
    steps = run_steps(model, inputs, loss_of, optimizer, recorder, options)
    ran = {name: i for i, (name, _, _) in reversed(list(enumerate(recorder.forward)))}
    leaves = sorted(recorder.leaves, key=lambda leaf: ran.get(leaf[0], len(ran)))
    taken = set()
    layers = [layer for name, module in leaves if (layer := layer_of(name, module, recorder, steps, taken))]
    missing = [name for name, tensor in model.named_parameters() if tensor.requires_grad and id(tensor) not in taken]
    workload = workload_of(options.model, layers, steps, options)
    if missing:
        workload["provenance"]["notes"].append("tensors outside leaf modules, left out: " + ", ".join(missing[:8]) +
                                               (" and more" if len(missing) > 8 else ""))
    write(workload, options.output)


if __name__ == "__main__":
    main()
