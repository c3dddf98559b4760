#!/usr/bin/env python3
"""A campaign of 200 runs on a Slurm cluster of one node, and with GNU parallel.

    test_cluster.py ASSAY

Two workers are killed in the middle: one with all its processes, and one alone.
Every run is done once, nothing is left behind, and both reports are the same up
to times.  The cluster is started here, without munge, and stopped at the end.

Speaks TAP.
"""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

assay = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
here = pathlib.Path(scratch.name)
(here / "tmp").mkdir()
environment = os.environ | {"TMPDIR": str(here / "tmp"), "SLURM_CONF": str(here / "slurm.conf"),
                            "HOME": str(here)}
# One session: what the store returns then depends on the seed alone.
PLAN = """
target = store:ser | store:rc
level = si | ser
workload = update | mixed
sizes = --sessions 1 --txns 40 --keys 4
seed = 1..25
"""
(here / "plan").write_text(PLAN)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@contextlib.contextmanager
def cluster():
    (here / "slurm.conf").write_text(f"""
ClusterName=assay
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/none
CredType=cred/none
SlurmUser={os.environ.get("USER", "root") if os.geteuid() else "root"}
SlurmdUser={os.environ.get("USER", "root") if os.geteuid() else "root"}
StateSaveLocation={here}/state
SlurmdSpoolDir={here}/spool
SlurmctldPidFile={here}/slurmctld.pid
SlurmdPidFile={here}/slurmd.pid
SlurmctldLogFile={here}/slurmctld.log
SlurmdLogFile={here}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
KillWait=2
SlurmdParameters=config_overrides
NodeName=localhost CPUs=8 NodeAddr=127.0.0.1 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES State=UP
""")
    (here / "state").mkdir()
    (here / "spool").mkdir()
    daemons = [subprocess.Popen([name, "-D", *more], env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
               for name, *more in (["slurmctld"], ["slurmd", "-N", "localhost"])]
    try:
        for _ in range(300):
            done = subprocess.run(["sinfo", "-h", "-o", "%T"], env=environment, text=True,
                                  capture_output=True, check=False)
            if "idle" in done.stdout:
                break
            time.sleep(0.1)
        yield "idle" in done.stdout
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(30)


def processes(campaign):
    """The workers: their process ids."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_bytes().decode(errors="replace").split("\0")
            if words[0] == assay and "--worker" in words and str(campaign) in words:
                found.append(int(entry.name))
    return found


def show_state(campaign):
    """What hangs: the processes, the claims without a result, and the workers."""
    results = set(os.listdir(campaign / "results"))
    left = [c for c in sorted(os.listdir(campaign / "claims")) if c.split(".")[0] not in results]
    print("#", len(results), "results; claims without one:",
          [(c, (campaign / "claims" / c).read_text()) for c in left])
    print("# workers:", os.listdir(campaign / "workers"))
    for pid in processes(campaign):
        tree = subprocess.run(["ps", "-o", "pid,ppid,stat,etime,wchan:20,args", "--ppid", str(pid), "-p", str(pid)],
                              text=True, capture_output=True, check=False).stdout
        print("#", tree.replace("\n", "\n# "), flush=True)


def wait_until(fact, seconds=60):
    for _ in range(seconds * 50):
        if fact():
            return True
        time.sleep(0.02)
    return False


def run(executor, kill):
    """Run the campaign, kill two workers in the middle, and return its report."""
    campaign = here / executor
    with subprocess.Popen([assay, "campaign", str(campaign), str(here / "plan"), "--executor", executor,
                           "--workers", "4", "-q"], env=environment, cwd=here, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:
        wait_until(lambda: (campaign / "results").exists() and
                   len(os.listdir(campaign / "results")) > 30 and len(processes(campaign)) > 2)
        kill(campaign)
        try:
            out, err = started.communicate(timeout=240)
        except subprocess.TimeoutExpired:
            show_state(campaign)
            started.kill()
            raise
    name = f"{executor}: "
    check("200 of 200 runs" in out, name + "every run is done", out[:500] + err)
    results = os.listdir(campaign / "results")
    check(sorted(results) == [f"{i:06}" for i in range(1, 201)], name + "once")
    # What was killed between a result and the next claim lost nothing.
    again = [c for c in os.listdir(campaign / "claims") if not c.endswith(".1")]
    check(len(again) <= 2, name + "and nothing twice but what was killed", str(again))
    check(wait_until(lambda: not os.listdir(here / "tmp"), 10) and
          not os.listdir(campaign / "workers") and not os.listdir(campaign / "tmp"),
          name + "nothing is left behind", str([os.listdir(here / "tmp"), os.listdir(campaign / "workers"),
                                                os.listdir(campaign / "tmp")]))
    return re.sub(r"[@+][0-9.]+( [a-zµ]+)?", "@", out)  # times


def kill_alone(campaign):
    os.kill(processes(campaign)[0], signal.SIGKILL)


def kill_two_alone(campaign):
    kill_alone(campaign)
    os.kill(processes(campaign)[-1], signal.SIGTERM)


def kill_job(campaign):
    kill_alone(campaign)
    jobs = subprocess.run(["squeue", "-h", "-r", "-t", "R", "-o", "%F_%K"], env=environment, text=True,
                          capture_output=True, check=False).stdout.split()
    subprocess.run(["scancel", jobs[-1]], env=environment, check=False)


reports = []
if shutil.which("parallel"):
    reports.append(run("parallel", kill_two_alone))
else:
    skip("GNU parallel", "not installed")
if shutil.which("slurmctld") and shutil.which("slurmd") and os.geteuid() == 0:
    with cluster() as is_up:
        check(is_up, "a cluster of one node starts",
              (here / "slurmctld.log").read_text() if (here / "slurmctld.log").exists() else "")
        if is_up:
            reports.append(run("slurm", kill_job))
else:
    skip("Slurm", "slurm-wlm is not installed, or this user is not root")
if len(reports) == 2:
    check(reports[0] == reports[1], "both reports are the same", reports[0] + reports[1])
check(all("violated" in r and "NEW" in r for r in reports), "with what was found")
sys.exit(end())
