"""postgres.py -- a PostgreSQL server for a test, and a client without a
library: messages of the protocol over a socket, so that tests decide what is
sent when."""

import glob
import os
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import tempfile


def find(program):
    found = shutil.which(program)
    if found and program != "initdb" and program != "pg_ctl":
        return found
    paths = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"))
    return paths[-1] if paths else found


class Server:
    """A server on loopback, in a temporary directory."""

    def __init__(self, durable=False):
        self.root = tempfile.mkdtemp(prefix="assay-record-")
        self.data = self.root + "/data"
        self.user = None
        if os.getuid() == 0:
            self.user = pwd.getpwnam("postgres")
            os.chown(self.root, self.user.pw_uid, self.user.pw_gid)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        self._run(find("initdb"), "-D", self.data, "-A", "trust", "-U",
                  "postgres", "--no-sync", "-E", "UTF8", "--locale", "C")
        self.options = (f"-p {self.port} -c listen_addresses=127.0.0.1 "
                        f"-c fsync={'on' if durable else 'off'} "
                        f"-c unix_socket_directories={self.root} "
                        f"-c max_prepared_transactions=5")
        self.restart()

    def restart(self):
        self._run(find("pg_ctl"), "-D", self.data, "-o", self.options, "-l",
                  self.root + "/log", "-w", "start")

    def kill(self):
        """End the first process of the server with SIGKILL; the others notice
        it and end, before it can be started again."""
        with open(self.data + "/postmaster.pid") as f:
            pid = int(f.readline())
        with open(f"/proc/{pid}/task/{pid}/children") as f:
            children = [int(n) for n in f.read().split()]
        os.kill(pid, signal.SIGKILL)
        for n in children:
            try:
                os.kill(n, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def _run(self, *words):
        def leave_root():
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, cwd=self.root,
                       preexec_fn=leave_root if self.user else None)

    def url(self, database, user="postgres"):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def schema(self, database):
        """pg_dump -s, without the lines that differ from run to run."""
        text = subprocess.run(
            [find("pg_dump"), "-s", self.url(database)], check=True,
            capture_output=True, text=True).stdout
        return [l for l in text.splitlines() if "restrict" not in l]

    def stop(self):
        try:
            self._run(find("pg_ctl"), "-D", self.data, "-m", "immediate", "-w",
                      "stop")
        finally:
            shutil.rmtree(self.root, ignore_errors=True)


class Failure(Exception):
    def __init__(self, fields):
        super().__init__(fields.get("M", ""))
        self.code = fields.get("C", "")


class Client:
    """A session."""

    def __init__(self, port, user="app", database="shop", **parameters):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.settimeout(30)
        self.bytes = b""
        body = struct.pack("!I", 196608)
        for name, value in dict(user=user, database=database,
                                **parameters).items():
            body += name.encode() + b"\0" + value.encode() + b"\0"
        body += b"\0"
        self.socket.sendall(struct.pack("!I", len(body) + 4) + body)
        self.key = None
        for letter, body in self.until("Z"):
            if letter == "K":
                self.key = body

    def receive(self):
        """One message: its letter and its body."""
        while True:
            if len(self.bytes) >= 5:
                n = struct.unpack("!I", self.bytes[1:5])[0] + 1
                if len(self.bytes) >= n:
                    message, self.bytes = self.bytes[:n], self.bytes[n:]
                    return chr(message[0]), message[5:]
            more = self.socket.recv(65536)
            if not more:
                raise EOFError("the connection is closed")
            self.bytes += more

    def until(self, last):
        """The messages up to one with that letter; an error that ends the
        connection is raised."""
        messages = []
        while True:
            letter, body = self.receive()
            messages.append((letter, body))
            if letter == last:
                return messages
            if letter == "E" and b"FATAL" in body:
                raise Failure(fields(body))

    def send(self, *messages):
        """Messages, each a letter and a body."""
        self.socket.sendall(b"".join(
            letter.encode() + struct.pack("!I", len(body) + 4) + body
            for letter, body in messages))

    def run(self, sql):
        """Send a simple query; rows, or the error."""
        self.send(("Q", sql.encode() + b"\0"))
        return answer(self.until("Z"))

    def execute(self, sql, *values, limit=0, portal=""):
        """Run a statement by the extended protocol, with text values."""
        self.send(*prepared(sql, values, limit, portal), ("S", b""))
        return answer(self.until("Z"))

    def close(self):
        try:
            self.send(("X", b""))
        except OSError:
            pass
        self.socket.close()


def fields(body):
    return {p[:1].decode(): p[1:].decode() for p in body.split(b"\0") if p}


def prepared(sql, values=(), limit=0, portal=""):
    """Parse, Bind and Execute."""
    name = portal.encode() + b"\0"
    bind = name + b"\0" + struct.pack("!HH", 0, len(values))
    for value in values:
        text = str(value).encode()
        bind += struct.pack("!i", -1) if value is None else (
            struct.pack("!i", len(text)) + text)
    bind += struct.pack("!H", 0)
    return (("P", b"\0" + sql.encode() + b"\0" + struct.pack("!H", 0)),
            ("B", bind), ("E", name + struct.pack("!I", limit)))


def answer(messages):
    """The rows of messages, as lists of texts; the first error is raised."""
    rows = []
    for letter, body in messages:
        if letter == "E":
            raise Failure(fields(body))
        if letter == "D":
            at, row = 2, []
            for _ in range(struct.unpack("!H", body[:2])[0]):
                n = struct.unpack("!i", body[at:at + 4])[0]
                at += 4
                row.append(None if n < 0 else body[at:at + n].decode())
                at += max(n, 0)
            rows.append(row)
    return rows
