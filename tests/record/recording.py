"""recording.py -- 'assay record' as a process beside a test."""

import json
import os
import signal
import subprocess


class Recording:
    """A recording that runs until it is stopped."""

    def __init__(self, assay, server, output, *options, database="shop"):
        self.output = output
        self.process = subprocess.Popen(
            [assay, "record", "--to", server.url(database), "--listen", "0",
             "-o", output, *options],
            stderr=subprocess.PIPE, text=True)
        self.said = self.process.stderr.readline()
        self.port = (int(self.said.rsplit(":", 1)[1])
                     if self.said.startswith("recording at") else 0)
        self.status = None

    def stop(self, how=signal.SIGINT):
        """End it; its exit status."""
        if self.port and self.process.poll() is None:
            self.process.send_signal(how)
        self.said += self.process.stderr.read()
        self.process.stderr.close()
        self.status = self.process.wait()
        return self.status

    def lines(self):
        with open(self.output) as f:
            return [json.loads(line) for line in f]


def run(assay, *words):
    """The status and the output of a command."""
    p = subprocess.run([assay, *words], capture_output=True, text=True)
    return p.returncode, p.stdout + p.stderr


def record(assay, server, output, command, *options, database="shop",
           user="app"):
    """Record a command; its status and what was said."""
    environment = dict(os.environ, PGUSER=user)
    p = subprocess.run(
        [assay, "record", "--to", server.url(database), "--listen", "0", "-o",
         output, *options, "--", *command],
        capture_output=True, text=True, env=environment)
    return p.returncode, p.stdout + p.stderr
