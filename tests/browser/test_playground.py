#!/usr/bin/env python3
"""The playground in a browser: a history in; verdict, story and picture out.

    test_playground.py PAGE ASSAY [SCREENSHOTS]

Speaks TAP.  Skipped where there is no chromium, or where the page could not be
made.  SCREENSHOTS is a directory for pictures at three widths, light and dark.
"""
import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from devtools import Page, find_chromium
from tap import check, end

SKEW = "a[x==? y==? x:=1] --- b[x==? y==? y:=1]"
HOSTILE = '"<img src=x onerror=hacked=1>"[x:=1]! --- "</script><script>hacked=1</script>"[x==1]'


def wait(page, condition, what):
    for _ in range(600):
        if page.run(condition):
            return True
        time.sleep(0.05)
    check(False, what, page.run("document.getElementById('status').textContent"))
    return False


def status(page):
    return page.run("document.getElementById('status').textContent")


def enter(page, text, levels=("si", "ser")):
    """Put a history into the page, choose levels, and click."""
    page.run("document.getElementById('result').hidden = true")
    page.run(f"document.getElementById('text').value = {json.dumps(text)}")
    page.run("document.querySelectorAll('#levels input').forEach("
             f"(b) => {{ b.checked = {json.dumps(list(levels))}.includes(b.id.slice(6)); }})")
    page.click("#check")
    wait(page, "!document.getElementById('check').disabled", "a check ends")


def verdicts(page):
    return page.run("Array.from(document.querySelectorAll('#verdicts li'), (i) => i.textContent)")


def shown(page, name):
    wait(page, "document.getElementById('report').contentDocument?.querySelector('.card')"
               " && document.getElementById('report').offsetHeight > 400", f"{name}: the report is shown")


def check_like_the_program(page, assay, scratch):
    enter(page, SKEW)
    check(verdicts(page) == ["snapshot isolation: ok", "serializable: violated"], "verdicts are shown",
          str(verdicts(page)))
    check(page.run("document.title").startswith("violated"), "the tab has the verdict")
    shown(page, "write skew")
    check(page.run("document.getElementById('report').contentDocument.querySelectorAll('figure svg').length") >= 1,
          "the picture is shown")
    path = pathlib.Path(scratch, "history")
    path.write_text(SKEW)
    done = subprocess.run([assay, "check", "-l", "si,ser", "history"], cwd=scratch, capture_output=True, text=True,
                          env=dict(os.environ, COLUMNS="80"))
    check(page.run("document.getElementById('story').textContent") == done.stdout,
          "the story is what the program prints", done.stdout)
    enter(page, SKEW, ["si"])
    check(page.run("document.getElementById('headline').textContent") == "All chosen levels hold",
          "what holds is said")


def refuse(page):
    enter(page, "[x:=1 y=")
    check("history:1:" in status(page) and page.run("document.getElementById('result').hidden"),
          "an error has its position", status(page))
    enter(page, "   ")
    check("empty" in status(page), "an empty history is no result", status(page))
    enter(page, SKEW, [])
    check("level" in status(page), "a level has to be chosen", status(page))
    enter(page, HOSTILE, ["rc"])
    shown(page, "hostile names")
    check(page.run("typeof hacked") == "undefined"
          and page.run("typeof document.getElementById('report').contentWindow.hacked") == "undefined"
          and page.run("document.images.length") == 0, "hostile names run nothing")


def share(page, path):
    enter(page, SKEW, ["ra", "ser"])
    page.click("#share")
    wait(page, "location.hash.length > 1", "a link is made")
    link = page.run("location.hash")
    check("x==" not in link and len(link) < 400, "the link is short", link)
    page.open(path)  # without the fragment
    page.run(f"location.hash = {json.dumps(link)}")
    wait(page, "document.querySelectorAll('#verdicts li').length == 2"
               " && document.getElementById('verdicts').textContent.includes('read atomic')", "the link is checked")
    check(page.run("document.getElementById('text').value") == SKEW
          and verdicts(page) == ["read atomic: ok", "serializable: violated"], "a link brings history and levels",
          str(verdicts(page)))
    page.run("location.hash = '#damaged'")
    wait(page, "document.getElementById('status').textContent.includes('damaged')", "a damaged link is refused")
    check("damaged" in status(page), "a damaged link is refused", status(page))
    big = "".join(f"[k{i * 7919 % 10007}:={i * 104729 % 1000003}]" for i in range(20000))
    page.run(f"document.getElementById('text').value = {json.dumps(big)}")
    page.click("#share")
    wait(page, "document.getElementById('status').textContent.includes('too large')", "a large history is no link")
    check("too large" in status(page), "a large history is no link", status(page))


def drop(page):
    line = '{"session":1,"ops":[["w","x",1]],"status":"aborted"}\n{"session":2,"ops":[["r","x",1]]}\n'
    page.run("document.getElementById('result').hidden = true")
    page.run("(() => { const d = new DataTransfer();"
             f" d.items.add(new File([{json.dumps(line)}], 'h.jsonl'));"
             " document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: d, bubbles: true,"
             " cancelable: true})); })()")
    wait(page, "!document.getElementById('result').hidden", "a file that is dropped is checked")
    check("aborted" in page.run("document.getElementById('story').textContent"), "a file that is dropped is checked")


def stop(page):
    # Few values and no times: far beyond what is decided in a second.
    hard = " --- ".join("".join(f"[x{(s * 7 + i) % 9}=={(s + i * 3) % 4 + 1} x{(s * 5 + i * 2) % 9}:="
                                f"{(s * 3 + i) % 4 + 1}]" for i in range(400)) for s in range(30))
    page.run(f"document.getElementById('text').value = {json.dumps(hard)}")
    # Both clicks before the checker can answer.
    said = page.run("document.getElementById('form').requestSubmit();"
                    " const ran = !document.getElementById('stop').hidden;"
                    " document.getElementById('stop').click();"
                    " `${ran} ${document.getElementById('status').textContent}`")
    check(said == "true Stopped", "a check can be stopped", said)
    check(not page.run("document.getElementById('check').disabled"), "after a stop the page can check again")
    enter(page, SKEW)
    check(len(verdicts(page)) == 2 and "2 transactions" in status(page), "the next check works", status(page))


def try_examples(page):
    wrong = []
    for i in range(page.run("document.getElementById('example').options.length")):
        page.run("document.getElementById('result').hidden = true")
        page.run(f"(() => {{ const e = document.getElementById('example'); e.selectedIndex = {i};"
                 " e.dispatchEvent(new Event('change')); })()")
        if not wait(page, "!document.getElementById('check').disabled", f"example {i} ends"):
            continue
        name = page.run("document.getElementById('example').selectedOptions[0].text")
        title = page.run("document.title")
        if page.run("document.getElementById('result').hidden") or title.startswith("ok") != (name == "Nothing wrong"):
            wrong.append(f"{name}: {title}: {status(page)}")
    check(not wrong, "each example shows what its name says", str(wrong))


def look(page, pictures):
    enter(page, SKEW)
    shown(page, "write skew")
    for width in (1280, 800, 400):
        page.resize(width)
        time.sleep(0.2)
        check(page.run("document.documentElement.scrollWidth <= innerWidth"), f"{width} pixels: nothing sticks out")
        heights = [page.run("document.documentElement.scrollHeight") for _ in range(2) if not time.sleep(0.3)]
        check(heights[0] == heights[1] < 8000, f"{width} pixels: the report has its height", str(heights))
        for scheme in ("light", "dark") if pictures else ():
            page.scheme(scheme)
            time.sleep(0.3)
            picture = page.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip={
                "x": 0, "y": 0, "width": width, "height": heights[0], "scale": 1})
            pathlib.Path(pictures, f"playground-{width}-{scheme}.png").write_bytes(base64.b64decode(picture["data"]))
    page.resize(1280)


def main():
    chromium = find_chromium()
    path, assay = (os.path.abspath(p) for p in sys.argv[1:3])
    if not chromium:
        print("1..0 # SKIP there is no chromium")
        return 0
    if not os.path.getsize(path):
        print("1..0 # SKIP the page is not made: tools/make-wasm --why prints the packages")
        return 0
    page = Page(chromium)
    with tempfile.TemporaryDirectory() as scratch:
        page.open(path)
        wait(page, "document.body.dataset.ready == 'yes'", "the checker is ready")
        wait(page, "document.title.startsWith('violated')", "the first example is checked")
        check_like_the_program(page, assay, scratch)
        refuse(page)
        share(page, path)
        drop(page)
        stop(page)
        try_examples(page)
        look(page, sys.argv[3] if len(sys.argv) > 3 else None)
    check(page.complaints() == [], "nothing on the console", str(page.complaints())[:500])
    outside = [u for u in page.requests() if not u.startswith(("file:", "blob:", "about:", "data:"))]
    check(outside == [], "nothing is asked of a server", str(outside))
    page.close()
    return end()


sys.exit(main())
