"""As much of the DevTools protocol as driving one page needs.

Chromium talks through two pipes, its descriptors 3 and 4, one JSON message
after the other with a zero byte between; so neither a port nor a library is
needed.
"""
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find_chromium():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    return None


class Page:
    """A headless browser with one page."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.back, theirs_out = os.pipe()
        # The two ends may already have the numbers that they are to get.
        safe_in, safe_out = os.dup(theirs_in), os.dup(theirs_out)
        while safe_in in (3, 4):
            safe_in = os.dup(safe_in)
        while safe_out in (3, 4):
            safe_out = os.dup(safe_out)

        def arrange():
            os.dup2(safe_in, 3)
            os.dup2(safe_out, 4)

        self.process = subprocess.Popen(
            [
                program,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--remote-debugging-pipe",
                "--user-data-dir=" + self.profile.name,
                "about:blank",
            ],
            preexec_fn=arrange,
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest = b""
        self.events = []
        self.number = 0
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")
        self.session = self.call(
            "Target.attachToTarget", targetId=target["targetId"], flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, deadline):
        while b"\0" not in self.rest:
            ready, _, _ = select.select(
                [self.back], [], [], max(0, deadline - time.time())
            )
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.back, 1 << 16)
            if not data:
                raise EOFError("the browser is gone")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.time() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        while self.run("document.readyState") != "complete":
            time.sleep(0.05)

    def run(self, expression):
        """The value of a JavaScript expression."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def click(self, selector):
        self.run(
            f"document.querySelector({json.dumps(selector)})"
            ".scrollIntoView({block: 'center'})"
        )
        x, y = self.run(
            "(() => { const b = document.querySelector("
            + json.dumps(selector)
            + ").getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call(
                "Input.dispatchMouseEvent",
                type=kind,
                x=x,
                y=y,
                button="left",
                clickCount=1,
            )

    def hover(self, selector):
        x, y = self.run(
            "(() => { const b = document.querySelector("
            + json.dumps(selector)
            + ").getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def press(self, key):
        text = key if len(key) == 1 else ("\r" if key == "Enter" else "")
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def resize(self, width):
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )

    def scheme(self, name):
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": name}],
        )

    def complaints(self):
        """What was said on the console, and exceptions."""
        self.run("0")
        return [
            e
            for e in self.events
            if e.get("method")
            in ("Runtime.exceptionThrown", "Log.entryAdded")
            or (
                e.get("method") == "Runtime.consoleAPICalled"
                and e["params"]["type"] in ("error", "warning")
            )
        ]

    def requests(self):
        return [
            e["params"]["request"]["url"]
            for e in self.events
            if e.get("method") == "Network.requestWillBeSent"
        ]

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        # Its helpers may write for a moment longer.
        self.profile.cleanup()
        for _ in range(100):
            if not os.path.exists(self.profile.name):
                break
            time.sleep(0.1)
            shutil.rmtree(self.profile.name, ignore_errors=True)
