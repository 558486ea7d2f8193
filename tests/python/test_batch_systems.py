"""The examples for batch systems, on those that are installed here."""
import os
import pathlib
import shlex
import shutil
import socket
import subprocess
import time

import pytest

import stepcast
from conftest import CLUSTER, JOB, ROOT, WORKLOAD

EXAMPLES = ROOT / "sim/python/examples"
STUDY = ["--workload", WORKLOAD, "--cluster", CLUSTER, "--schedules", "ddp,dear", "--nodes", "2,4,8", "--fidelity",
         "analytic"]


def whole():
    return stepcast.compare(**JOB, schedules="ddp,dear", nodes=[2, 4, 8], fidelity="analytic").text


def test_gnu_parallel_does_a_study(program, tmp_path):
    if shutil.which("parallel") is None:
        pytest.skip("needs GNU parallel")
    done = subprocess.run([EXAMPLES / "gnu_parallel.sh", "3", tmp_path / "parts", *STUDY], text=True, check=True,
                          env={**os.environ, "STEPCAST": program, "HOME": str(tmp_path)}, capture_output=True)
    assert "dear" in done.stdout
    assert stepcast.merge([str(tmp_path / f"parts/part-{number}") for number in (1, 2, 3)]).text == whole()


def test_the_indexed_job_of_kubernetes_does_what_its_shell_line_says(program, tmp_path):
    text = (EXAMPLES / "kubernetes_job.yaml").read_text(encoding="utf-8")
    line = " ".join(text.split("args:")[1].split("resources:")[0].replace("- exec", "exec", 1).split())
    line = line.replace("/parts/", f"{tmp_path}/").replace("exec stepcast", f"exec {shlex.quote(program)}")
    completions = int(text.split("completions: ")[1].split()[0])
    assert f"/{completions} " in line
    for index in range(completions):
        subprocess.run(["/bin/sh", "-c", line], check=True, env={**os.environ, "JOB_COMPLETION_INDEX": str(index)})
    assert stepcast.merge(tmp_path).text == stepcast.compare(**JOB, nodes=[2, 4, 8, 16]).text


SLURM = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmdPort={slurmd_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=10 State=UP OverSubscribe=YES
"""


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


@pytest.fixture
def slurm(tmp_path):
    """slurmctld and slurmd as a cluster of one node; the environment of its commands."""
    for needed in ("slurmctld", "slurmd", "sbatch", "munged"):
        if shutil.which(needed, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None:
            pytest.skip(f"needs {needed} (slurm-wlm, munge)")
    if os.geteuid() != 0:
        pytest.skip("slurmd needs root")
    folder = pathlib.Path(tmp_path)
    folder.chmod(0o755)
    for name in ("state", "spool"):
        (folder / name).mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o600)
    conf = folder / "slurm.conf"
    conf.write_text(SLURM.format(host=socket.gethostname().split(".")[0], port=free_port(), slurmd_port=free_port(),
                                 folder=folder, cores=os.cpu_count()))
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    environment = {**os.environ, "PATH": path, "SLURM_CONF": str(conf)}
    processes = []
    try:
        processes.append(subprocess.Popen(
            ["munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
             f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"],
            env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        wait_for(lambda: (folder / "munge.socket").exists(), "munged")
        for program in ("slurmctld", "slurmd"):
            processes.append(subprocess.Popen([program, "-D", "-f", conf], env=environment, stdout=subprocess.DEVNULL,
                                              stderr=subprocess.DEVNULL))
        if not wait_for(lambda: "idle" in subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, text=True,
                                                         capture_output=True, check=False).stdout, "slurm", 40):
            logs = "".join(each.read_text()[-600:] for each in sorted(folder.glob("slurm*.log")))
            pytest.skip(f"Slurm does not start here: {logs[-1200:]}")
        yield environment
    finally:
        for process in reversed(processes):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_for(is_there, what, seconds=20):
    for _ in range(seconds * 5):
        if is_there():
            return True
        time.sleep(0.2)
    if what == "munged":
        pytest.skip("munged does not start here")
    return False


def test_a_job_array_of_slurm_does_a_study(program, slurm, tmp_path):
    parts = tmp_path / "parts"
    subprocess.run(["sbatch", "--wait", "--array=1-3", f"--output={tmp_path}/out-%a", str(EXAMPLES / "slurm_array.sh"),
                    str(parts), *STUDY], check=True, timeout=200, cwd=tmp_path, env={**slurm, "STEPCAST": program})
    assert stepcast.merge(parts).text == whole()
