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
--device-name names (configs/devices); nothing is run.
  scripts/profile_torch.py torchvision:resnet50 --structure --device-name a100 --batch 64 -o resnet50-a100.json
"""
import argparse
import json
import os
import pathlib
import platform
import re
import statistics
import sys
import time

# PyTorch's names of types as workloads have them; others are written as fp32.
DTYPES = {"torch.float64": "fp64", "torch.float32": "fp32", "torch.float16": "fp16", "torch.bfloat16": "bf16"}
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


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
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


class Recorder:
    """Marks the begin and end of every leaf module's passes, in one step at a time."""

    def __init__(self, model, clock):
        self.clock = clock
        self.leaves = [(name or "model", module) for name, module in model.named_modules()
                       if not any(True for _ in module.children())]
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
        rows = 1
        for extent in shape[:-1]:
            rows *= extent
        return {"a": module.in_features + bias, "g": module.out_features, "rows": rows}
    return None


def layer_of(name, module, recorder, steps, taken):
    """None for a module that the step never ran and that has no tensors."""
    forward = [step[0].get(name, 0) for step in steps]
    backward = [step[1].get(name, 0) for step in steps]
    own = [(key, tensor) for key, tensor in module.named_parameters(recurse=False)
           if tensor.requires_grad and id(tensor) not in taken]
    taken.update(id(tensor) for _, tensor in own)
    shape, element = recorder.shapes.get(name, ((), 0))
    if not own and not any(forward):
        return None
    layer = {"name": name, "kind": type(module).__name__, "forward_s": round(statistics.median(forward), 9),
             "backward_s": round(max(0.0, statistics.median(backward)), 9)}
    if own:
        layer["parameters"] = [{"name": key, "elements": tensor.numel(), "dtype": DTYPES.get(str(tensor.dtype), "fp32")}
                               for key, tensor in own]
    elements = 1
    for extent in shape:
        elements *= extent
    if shape and elements * element > 0:
        layer["activation_bytes"] = elements * element
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


def write_structure(options):
    import torch_structure
    model, inputs, _ = load(options.model, options)
    name = options.model.rpartition(":")[2]
    try:
        workload = torch_structure.workload_of(torch, model.train(), inputs, DEVICES / f"{options.device_name}.json",
                                               options, name)
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
