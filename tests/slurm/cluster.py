"""A Slurm cluster of two nodes on this machine: a munged, a slurmctld and two slurmds of our own, beside whatever else runs here.

Everything lies in one folder (keys, sockets, state, logs) and listens on free ports of 127.0.0.1. Each node has one pretended GPU, so that a task has a
node to itself. All is stopped at the end, whatever happened: first the jobs, then the daemons, each by its own process id.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from sentences import Skip

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "sinfo", "squeue")
NODES = ("node1", "node2")
START_S, STOP_S = 60, 20

CONFIGURATION = """ClusterName=kgate-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1
SlurmdParameters=config_overrides
KillWait=5
ReturnToService=2
GresTypes=gpu
NodeName=node1 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} CPUs=16 Gres=gpu:pretended:1 Feature=pretended
NodeName=node2 NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} CPUs=16 Gres=gpu:pretended:1 Feature=pretended
PartitionName=all Nodes=ALL Default=YES
"""
GRES = "NodeName=node[1-2] Name=gpu Type=pretended File=/dev/zero\n"


def program(name):
    # Daemons lie where an ordinary user's PATH may not lead.
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


class Cluster:
    def __init__(self, folder):
        missing = [name for name in PROGRAMS if program(name) is None]
        if missing:
            raise Skip(f"{', '.join(missing)} not installed: apt-get install slurmctld slurmd slurm-client munge")
        if os.geteuid() != 0:
            raise Skip("only root can start a slurmd that starts jobs")
        self.folder = pathlib.Path(folder)
        self.daemons = []
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        for name in ("munge", "state", *NODES):
            (self.folder / name).mkdir(parents=True)
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(host=socket.gethostname(), folder=self.folder, ports=free_ports(3)))
        (self.folder / "gres.conf").write_text(GRES)
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.folder}/munge/socket", f"--pid-file={self.folder}/munge/pid",
                    f"--log-file={self.folder}/munge.log", f"--seed-file={self.folder}/munge.seed")
        self.wait("munged", lambda: (self.folder / "munge/socket").exists())
        self.daemon("slurmctld", "-D", "-f", self.environment["SLURM_CONF"])
        for node in NODES:
            self.daemon("slurmd", "-D", "-f", self.environment["SLURM_CONF"], "-N", node, log=node)
        self.wait("the nodes", lambda: self.call("sinfo", "-h", "-N", "-o", "%t").split() == ["idle"] * len(NODES))

    def daemon(self, name, *arguments, log=None):
        with open(self.folder / f"{log or name}.out", "wb") as file:
            self.daemons.append(subprocess.Popen([program(name), *arguments], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, stdout=file,
                                                 stderr=subprocess.STDOUT, start_new_session=True))

    def wait(self, what, ready):
        end = time.monotonic() + START_S
        while not ready():
            ended = [one.args[0] for one in self.daemons if one.poll() is not None]
            if ended or time.monotonic() > end:
                logs = "".join(f"\n--- {path.name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-8:]) for path in sorted(self.folder.glob("*.out")))
                raise Skip(f"{what}: {'ended: ' + ', '.join(ended) if ended else 'not ready'}; Slurm's daemons cannot run here{logs}")
            time.sleep(0.1)

    def call(self, name, *arguments):
        done = subprocess.run([program(name), *arguments], env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return done.stdout

    def stop(self):
        if len(self.daemons) > 1:
            self.call("scancel", "--user=root")
            end = time.monotonic() + STOP_S
            while self.call("squeue", "-h").strip() and time.monotonic() < end:
                time.sleep(0.1)
        for one in reversed(self.daemons):
            one.terminate()
        for one in reversed(self.daemons):
            try:
                one.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(one.pid, signal.SIGKILL)
                one.wait()
        for pid in self.left():
            os.kill(pid, signal.SIGKILL)

    def left(self):
        """Processes that have this cluster's configuration in their environment: what a job or a daemon left."""
        mark = f"SLURM_CONF={self.environment['SLURM_CONF']}".encode()
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue
        return found
