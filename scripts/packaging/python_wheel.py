"""Builds the wheel of the Python package (PEP 517): compiles the module in build/release, or in the folder that
--config-settings=build-dir=FOLDER names, and packs it with the data that StepCast ships."""
import base64
import hashlib
import pathlib
import re
import subprocess
import sysconfig
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ("configs", "traces/architectures", "traces/blocks", "traces/collectives", "traces/hardware", "traces/published",
        "traces/slow_downs", "traces/workloads")


def _project():
    """Name, version and the rest; the version is that of CMakeLists.txt."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = {key: re.search(rf'^{key} = "(.*)"$', text, re.M).group(1)
             for key in ("name", "description", "license", "requires-python")}
    cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found["version"] = re.search(r"^project\(stepcast VERSION (\S+)", cmake, re.M).group(1)
    found["extras"] = dict(re.findall(r'^(\w+) = \["(\w+)"\]$', text.split("[project.optional-dependencies]")[1], re.M))
    return found


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']}",
             f"Requires-Python: {project['requires-python']}"]
    for extra, package in project["extras"].items():
        lines += [f"Provides-Extra: {extra}", f'Requires-Dist: {package}; extra == "{extra}"']
    readme = (ROOT / "sim/python/README.md").read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def _tag():
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _built(settings):
    """The folder of the package, compiled."""
    chosen = (settings or {}).get("build-dir")
    build = pathlib.Path(chosen) if chosen else ROOT / "build/release"
    if not chosen:
        subprocess.run([ROOT / "scripts/configure", "release", "--without-tests"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "stepcast_package"], check=True)
    package = build / "python/stepcast"
    if not any(package.glob("_core.*.so")):
        raise SystemExit(f"{package}: holds no module; install pybind11-dev and python3-dev (scripts/setup --python)")
    return package


def _files(package):
    """What the wheel holds: (name in it, path here). The modules that are loaded on demand lie in the package."""
    for file in sorted(package.iterdir()):
        if file.is_file():
            yield f"stepcast/{file.name}", file
    for folder in DATA:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.is_file():
                yield f"stepcast/data/{file.relative_to(ROOT)}", file
    yield "stepcast/LICENSE", ROOT / "LICENSE"


def _info(project):
    return f"{project['name']}-{project['version']}.dist-info"


def _texts(project):
    """What stands in the folder of metadata, by name."""
    return {"METADATA": _metadata(project),
            "WHEEL": f"Wheel-Version: 1.0\nGenerator: python_wheel\nRoot-Is-Purelib: false\nTag: {_tag()}\n"}


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it pip would have the wheel built, and the module compiled, to learn the name."""
    project = _project()
    folder = pathlib.Path(metadata_directory) / _info(project)
    folder.mkdir(parents=True)
    for name, text in _texts(project).items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = _project()
    info = _info(project)
    wheel = f"{project['name']}-{project['version']}-{_tag()}.whl"
    texts = {f"{info}/{name}": text for name, text in _texts(project).items()}
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        def add(member, content):
            archive.writestr(member, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{member},sha256={digest},{len(content)}")

        for member, path in _files(_built(config_settings)):
            add(member, path.read_bytes())
        for member, text in texts.items():
            add(member, text.encode())
        archive.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    return wheel


def get_requires_for_build_wheel(config_settings=None):
    return []
