#!/usr/bin/env python3
"""The HTML report in a browser: it opens from disk and does what it says.

    test_page.py ASSAY

Speaks TAP.  Skipped where there is no chromium.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from devtools import Page, find_chromium
from tap import check, end

HISTORIES = {
    # anomaly, history, edges of its cycle
    "write-skew": ("on-call[x==? y==? x:=1] --- sick[x==? y==? y:=1]", 2),
    "long-fork": ("[x==1 y==?] --- [x==? y==1] --- [x:=1] --- [y:=1]", 4),
    "lost-update": ("a[x:=1] --- b[x==1 x:=2] --- c[x==1 x:=3]", 2),
    "aborted-read": ("[x:=1]! --- [x==1]", 0),
}
HOSTILE = r"""
--- "<b>s"
"</script><script>hacked=1</script>"[
    "<img src=x onerror=hacked=1>"==? "\xe2\x80\xae\x1b[31m":="]]>"]
--- "&lt;"
"javascript:hacked=1"[
    "\xe2\x80\xae\x1b[31m"==? "<img src=x onerror=hacked=1>":="\" onload=\"hacked=1"]
"""

CONTRAST = """
(selector => {
  const light = c => {
    const [r, g, b] = c.map(x => (x /= 255) <= 0.03928 ? x / 12.92
      : ((x + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const parse = text => text.match(/[0-9.]+/g).map(Number);
  let e = document.querySelector(selector);
  const ink = parse(getComputedStyle(e).color).slice(0, 3);
  let paper = [255, 255, 255];
  for (; e; e = e.parentElement) {
    const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) { paper = c.slice(0, 3); break; }
  }
  const [a, b] = [light(ink), light(paper)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
})"""

# The smallest text that is seen, in pixels of the screen.
SMALLEST = """
(() => {
  let least = 99;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.getClientRects().length) continue;
    if (["SCRIPT", "STYLE", "title"].includes(e.tagName)) continue;
    const svg = e.closest("svg");
    const scale = svg
      ? svg.getBoundingClientRect().width / svg.viewBox.baseVal.width : 1;
    least = Math.min(least, parseFloat(getComputedStyle(e).fontSize) * scale);
  }
  return least;
})()"""

# Whether all transactions of the picture are seen without scrolling.
WHOLE = """
(() => {
  const boxes = Array.from(document.querySelectorAll(
    ".card figure .txn .frame")).filter((b) => b.getClientRects().length);
  return boxes.length > 0 && boxes.every((box) => {
    const b = box.getBoundingClientRect();
    const f = box.closest("figure").getBoundingClientRect();
    return b.left >= f.left && b.right <= f.right + 1;
  });
})()"""

VISIBLE_CARDS = "document.querySelectorAll('.card:not([hidden])').length"


def becomes(page, expression):
    """Whether an expression is true, now or when events have been served."""
    for _ in range(100):
        if page.run(expression):
            return True
        time.sleep(0.1)
    return False


def make_page(assay, scratch, name, history, *options):
    path = pathlib.Path(scratch, name + ".hist")
    path.write_text(history, encoding="utf-8")
    target = os.path.join(scratch, name)
    subprocess.run([assay, "report", *options, "-o", target, str(path)],
                   capture_output=True)
    return os.path.join(target, "index.html")


def look_at(page, name, edges):
    check(page.complaints() == [], f"{name}: nothing on the console",
          str(page.complaints()))
    check(
        all(u.startswith("file:") for u in page.requests()),
        f"{name}: no request leaves the disk", str(page.requests()),
    )
    check(
        page.run("document.querySelectorAll('.card').length") == 1,
        f"{name}: one card",
    )
    check(
        page.run("document.querySelectorAll('.ring .edge.cycle').length")
        == edges,
        f"{name}: the edges of the cycle are drawn",
    )
    check(
        page.run("document.querySelectorAll('.steps li').length") >= 3,
        f"{name}: the reasons are there",
    )
    for width in (1280, 400):
        page.resize(width)
        check(
            page.run("document.documentElement.scrollWidth <= innerWidth"),
            f"{name}: nothing sticks out at {width} pixels",
        )
    page.resize(1280)
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        for part in (".story", ".soft", ".steps li", ".chip.violated", "h4"):
            contrast = page.run(CONTRAST + f"('{part}')")
            check(contrast >= 4.5, f"{name}: {part} is legible in {scheme}",
                  f"contrast {contrast:.1f}")
    page.scheme("light")


def use(page):
    page.click(".lanes .txn:not(.context)")
    check(
        page.run("document.querySelectorAll('.ring .txn.pinned').length") == 1,
        "a click on a lane pins the box in the other view",
    )
    page.press("Escape")
    check(
        page.run("document.querySelectorAll('.pinned').length") == 0,
        "escape releases it",
    )
    page.hover(".ring .named.cycle .plate")
    check(
        page.run("document.querySelectorAll('.steps li.hot').length") >= 1,
        "hovering an edge lights up its reason",
    )
    page.click(".ring .named.cycle .plate")
    check(
        page.run("document.querySelectorAll('details.edge[open]').length") == 1,
        "a click on an edge opens why it is there",
    )
    page.press("Escape")
    page.press("j")
    check(page.run("!!document.querySelector('.card.here')"), "j goes to a card")
    page.run("document.querySelector('.lanes .txn').focus()")
    page.press("Enter")
    check(
        page.run("document.querySelectorAll('.pinned').length") > 0,
        "enter pins what has the focus",
    )
    page.press("/")
    check(
        page.run("document.activeElement.id") == "filter",
        "the slash goes to the filter",
    )
    page.type("no such key")
    check(
        page.run("document.querySelectorAll('.card:not([hidden])').length") == 0,
        "the filter hides what does not match",
    )
    page.press("Escape")
    check(
        page.run("document.querySelectorAll('.card:not([hidden])').length") == 1,
        "escape shows everything again",
    )
    check(
        page.run("document.title").startswith("violated: "),
        "the tab has the verdict and the history",
    )
    check(
        page.run("document.querySelector('.ring .named.cycle .label').textContent").count(" ") == 1,
        "labels have the key",
    )
    check(
        page.run("Array.from(document.querySelectorAll('.legend .key')).every((key) => "
                 "document.querySelector('.ring .edge.' + key.classList[1]))"),
        "the legend has what is drawn and nothing else",
    )
    page.press("/")
    page.type("no")
    check(
        page.run("document.querySelectorAll('.card:not([hidden])').length") == 0,
        "the filter does not match parts of words",
    )
    page.press("Escape")
    page.press("/")
    page.type("key y")
    check(
        page.run("document.querySelectorAll('.card:not([hidden])').length") == 1,
        "the filter finds a key",
    )
    page.press("Escape")


def take_along(page, assay, scratch):
    """The reduced history leaves the page and violates the level again."""
    page.call("Page.setDownloadBehavior", behavior="allow",
              downloadPath=scratch)
    page.run("for (const box of document.querySelectorAll('.copy'))"
             " box.open = true")
    page.click("a[download]")
    saved = pathlib.Path(scratch, "write-skew.jsonl")
    for _ in range(100):
        if saved.exists() and saved.stat().st_size:
            break
        time.sleep(0.1)
    check(saved.exists(), "the reduced history can be saved")
    shown = page.run("document.querySelector('pre[id$=history]').textContent")
    check(saved.exists() and saved.read_text(encoding="utf-8") == shown,
          "what is saved is what is shown")
    done = subprocess.run([assay, "check", "-q", str(saved)],
                          capture_output=True)
    check(done.returncode == 1, "it violates the level by itself")
    page.click("button[data-copy$=history]")
    check(
        page.run("document.querySelector('button[data-copy$=history]')"
                 ".textContent") == "copied",
        "it can be copied",
    )


def rest_on(page, assay, scratch):
    """The box says with which version and options, and gives nothing away."""
    history = pathlib.Path(scratch, "it's password=secret.hist")
    history.write_text("[x==? x:=1] --- [x==? x:=2]", encoding="utf-8")
    target = os.path.join(scratch, "command")
    subprocess.run([assay, "check", "-l", "si,ser", "--report", target,
                    "--timeout", "60", history.name],
                   cwd=scratch, capture_output=True)
    page.open(os.path.join(target, "index.html"))
    version = subprocess.run([assay, "--version"], capture_output=True)
    said = page.run("document.querySelector('.box').textContent")
    check(version.stdout.decode().strip() in said, "the box says the version")
    check(
        page.run("document.querySelector('.box code').textContent")
        == f"assay check -l si,ser --report {target} --timeout 60 "
        "'it'\\''s password=***'",
        "the box says the command, without the password",
        page.run("document.querySelector('.box code').textContent"),
    )
    check("Of 2 levels checked, 2 were decided" in said, "the box says what was decided")
    check("evidence for 2 of the verdicts" in said,
          "the box says that the evidence was checked", said)
    target = os.path.join(scratch, "unchecked")
    subprocess.run([assay, "check", "-l", "si,ser", "--report", target,
                    "--no-verify", history.name],
                   cwd=scratch, capture_output=True)
    page.open(os.path.join(target, "index.html"))
    said = page.run("document.querySelector('.box').textContent")
    check("evidence for 0 of the verdicts" in said,
          "the box says that no evidence was checked", said)


def find_one_of_several(page, assay, scratch):
    """Several anomalies: counts by kind and key, one card open, a filter."""
    several = " --- ".join(
        f"[x{i}==? y{i}:=1]@{10 * i}..{10 * i + 8} --- "
        f"[y{i}==? x{i}:=1]@{10 * i + 1}..{10 * i + 9}" for i in range(6))
    page.open(make_page(assay, scratch, "several", several,
                        "--max-anomalies", "9"))
    rows = page.run("Array.from(document.querySelectorAll('.kinds tbody tr'),"
                    " (r) => Array.from(r.cells, (c) => c.textContent))")
    check(len(rows) == 1 and rows[0][0] == "write skew" and rows[0][1] == "6"
          and "x3 \u00d7 1" in rows[0][2],
          "anomalies are counted by kind and by key", str(rows))
    check(
        page.run("Array.from(document.querySelectorAll('.card > details.body'),"
                 " (b) => b.open)") == [True] + 5 * [False],
        "one card is open",
    )
    check(
        page.run("(() => { const group = document.querySelector("
                 "'details.group'); return !group.open &&"
                 " group.querySelectorAll('.card').length })()") == 3,
        "those after the third of a kind are folded",
    )
    link = page.run("document.querySelectorAll('.card .link')[5].href")
    page.run(f"location.href = '{link}'")
    check(
        becomes(page, "document.querySelectorAll('.card > details.body')[5].open"
                 " && document.querySelector('details.group').open"),
        "the address of an anomaly opens it",
    )
    page.run("document.querySelector('[data-filter=\"key:x3\"]').click()")
    check(page.run(VISIBLE_CARDS) == 1, "a click on a key shows what is on it")
    for words, shown in (("key:x3", 1), ("x3", 1), ("key x3", 1), ("x", 0),
                         ("x*", 6), ("session:3", 1), ("key:3", 0),
                         ("transaction:s3/1", 1), ("session:3 key:x2", 0)):
        page.run(f"filter.value = '{words}'; applyFilter()")
        found = page.run(VISIBLE_CARDS)
        check(found == shown, f"the filter finds {shown} by '{words}'",
              str(found))
    page.run("filter.value = ''; applyFilter()")
    check(
        page.run("""(() => {
          const bars = Array.from(document.querySelectorAll('.card')[0].querySelectorAll(
            '.lanes .txn:not(.context) .bar')).map((b) => b.getBBox());
          return bars.length === 2 && bars[0].x < bars[1].x + bars[1].width &&
            bars[1].x < bars[0].x + bars[0].width && bars[0].x !== bars[1].x;
        })()"""),
        "transactions that overlap in time are bars that overlap",
    )


def print_it(page, assay, scratch):
    """On paper there are no tools, but everything that was found."""
    page.open(make_page(assay, scratch, "paper",
                        "[x==? y:=1]@1..9 --- [y==? x:=1]@2..8 --- "
                        "[a==? b:=1]@11..15 --- [b==? a:=1]@12..19"))
    page.call("Emulation.setEmulatedMedia", media="print")
    page.run("dispatchEvent(new Event('beforeprint'))")
    seen = "(s) => document.querySelector(s).getClientRects().length > 0"
    check(not page.run(f"({seen})('.tools')")
          and not page.run(f"({seen})('.zoom button')"),
          "paper: no tools")
    check(page.run(f"({seen})('.kinds .count')"), "paper: counts by key")
    check(page.run("Array.from(document.querySelectorAll('.card > .body'))"
                   ".every((b) => b.open)"), "paper: cards are unfolded")
    page.call("Emulation.setEmulatedMedia", media="")
    check(len(page.call("Page.printToPDF")["data"]) > 1000,
          "paper: it can be printed")


def follow_time(page, assay, scratch):
    """A run has plots, units, and a time axis that can be zoomed."""
    lines = ['{"recording":"begin"}']
    for i in range(400):
        status = "aborted" if i % 40 == 7 else "committed"
        at = 1000000 * i
        lines.append(f'{{"session":{i % 2},"ops":[["r","x{i // 2}",null],'
                     f'["w","x{i // 2}",{i}]],"status":"{status}",'
                     f'"start":{at},"end":{at + 1500000}}}')
    lines.append('{"recording":"end"}')
    history = pathlib.Path(scratch, "run.jsonl")
    history.write_text("\n".join(lines), encoding="utf-8")
    target = os.path.join(scratch, "run")
    subprocess.run([assay, "report", "-l", "si", "-o", target, str(history)],
                   capture_output=True)
    page.open(os.path.join(target, "index.html"))
    check(page.complaints() == [], "run: nothing on the console",
          str(page.complaints()))
    check(page.run("document.querySelectorAll('.plot svg').length") == 3,
          "run: commits, latency and aborts are plotted")
    check(
        page.run("Array.from(document.querySelectorAll('.numbers tbody tr'),"
                 " (r) => Number(r.cells[1].textContent) +"
                 " Number(r.cells[2].textContent) +"
                 " Number(r.cells[3].textContent)).reduce((a, b) => a + b)")
        == 400, "run: the numbers of the plots sum up")
    ticks = ("Array.from(document.querySelectorAll("
             "'.timed .tick'), (t) => t.textContent)")
    first = page.run(ticks)
    check(len(first) >= 2 and all(t.split(" ")[1] in ("ns", "\u00b5s", "ms", "s")
                                  for t in first),
          "run: times have units", str(first))
    width = "document.querySelector('.timed .txn:not(.context) .bar').getBBox().width"
    before = page.run(width)
    page.run("document.querySelector('.timed').focus()")
    page.press("+")
    check(page.run(ticks) != first, "run: plus zooms in")
    page.press("0")
    check(page.run(ticks) == first and page.run(width) == before,
          "run: zero shows everything again")
    page.click(".timed [data-zoom=out]")
    check(page.run(width) < before, "run: a button zooms out")
    page.click(".timed [data-zoom=all]")
    for size in (1280, 400):
        page.resize(size)
        check(becomes(page, "(() => { const f = document.querySelector('.timed');"
                            " return f.scrollWidth <= f.clientWidth; })()"),
              f"run: the time axis fits at {size} pixels")
        least = page.run(SMALLEST)
        check(least >= (12 if size > 400 else 11),
              f"run: the text is readable at {size} pixels", str(least))
    page.resize(1280)


def read_everywhere(page, assay, scratch):
    """Long keys are readable and whole; very long names do no harm."""
    a, b = '"checking:20:balance"', '"checking:21:balance"'
    page.open(make_page(assay, scratch, "keys",
                        f"[{a}==? {b}==? {a}:=100] --- "
                        f"[{a}==? {b}==? {b}:=200]"))
    for width, size in ((1280, 12), (1000, 11), (400, 11)):
        page.resize(width)
        least = page.run(SMALLEST)
        check(least >= size, f"text has {size} pixels at {width}", str(least))
        check(page.run(WHOLE), f"all transactions are seen at {width}")
    page.resize(1280)
    name = 5000 * "n"
    page.open(make_page(assay, scratch, "long",
                        f'{name}["{name}"==? y==? "{name}":=1] --- '
                        f'["{name}"==? y==? y:=1]'))
    check(page.run("document.documentElement.scrollHeight") < 5000,
          "a name of 5,000 characters does not fill the page")
    check(page.run("document.documentElement.scrollWidth <= innerWidth"),
          "nor does it stick out")
    check(page.run(f"document.querySelector('pre').textContent.includes('{name}')"),
          "it is in the text to copy")


def explain_words(page, assay, scratch):
    page.open(make_page(assay, scratch, "words",
                        "[x==? x:=1] --- [x==? x:=2]", "-l", "all"))
    words = page.run("Object.fromEntries(Array.from(document.querySelectorAll("
                     "'.card abbr'), (w) => [w.textContent, w.title]))")
    check(words.get("nil", "").startswith("nil: no value yet"),
          "nil is explained", str(words))
    check(words.get("s1/1") == "s1/1: transaction 1 of session 1",
          "names of transactions are explained")
    check(words.get("init", "").startswith("init: the initial state"),
          "init is explained")
    check("s1/1 is transaction 1 of session 1" in
          page.run("document.querySelector('.advice').textContent"),
          "the answer explains its words without a pointer")
    drawn, told = (page.run(
        f"Array.from(document.querySelectorAll('{where}'),"
        " (e) => e.dataset.edge).sort().join()")
        for where in (".ring .edge.cycle", ".steps li[data-edge]"))
    check(drawn != "" and set(drawn.split(",")) <= set(told.split(",")),
          "a lost update is drawn with the edges of its proof",
          f"{drawn} / {told}")


def foresee(page, assay, scratch):
    """A prediction stands beside what was observed."""
    history = pathlib.Path(scratch, "observed.hist")
    history.write_text("[a:=1 b:=1] [a==1 b==1 b:=2] --- [a==1 b==2 a:=3]",
                       encoding="utf-8")
    html = pathlib.Path(scratch, "predicted.html")
    done = subprocess.run([assay, "predict", "-l", "si", "--output", "html",
                           str(history)], capture_output=True)
    check(done.returncode == 1, "predicted: the page is written")
    html.write_bytes(done.stdout)
    page.open(str(html))
    look_at(page, "predicted", 2)
    check(
        page.run("document.querySelector('.sides s.changed').textContent")
        == "r(b, 2)"
        and page.run("document.querySelector('.sides mark').textContent")
        == "r(b, 1)",
        "predicted: the changed read is marked on both sides",
    )
    for width in (1280, 400):
        page.resize(width)
        check(
            page.run("(() => { const [a, b] = document.querySelectorAll("
                     "'.sides thead th'); return a.offsetTop === b.offsetTop"
                     " && a.offsetWidth > 100 && b.offsetWidth > 100 })()"),
            f"predicted: the sides are beside each other at {width} pixels",
        )
    page.resize(1280)
    for scheme in ("light", "dark"):
        page.scheme(scheme)
        contrast = page.run(CONTRAST + "('.sides mark')")
        check(contrast >= 4.5, f"predicted: the mark is legible in {scheme}",
              f"contrast {contrast:.1f}")
    page.scheme("light")


def prove(page, assay, scratch):
    """The page of a proof, where this build has proofs."""
    sql = pathlib.Path(__file__).parents[2] / "examples/programs/on_call.sql"
    done = subprocess.run([assay, "prove", "-l", "si", "--output", "html",
                           str(sql)], capture_output=True)
    if done.returncode != 1:
        return
    html = pathlib.Path(scratch, "proved.html")
    html.write_bytes(done.stdout)
    page.open(str(html))
    check(page.complaints() == [], "prove: nothing on the console",
          str(page.complaints()))
    check(page.run("document.title").startswith("violated: "),
          "prove: the tab has the verdict", page.run("document.title"))


def resist(page):
    check(page.complaints() == [], "hostile names: nothing on the console")
    check(page.run("typeof hacked") == "undefined", "hostile names run nothing")
    check(
        page.run("document.scripts.length") == 1
        and page.run("document.images.length") == 0,
        "hostile names make no elements",
    )
    check(
        not page.run("/[\\u202e\\u001b]/.test(document.body.innerHTML)"),
        "hostile names hide nothing",
    )
    page.run(
        "(() => { const s = document.createElement('script');"
        " s.textContent = 'injected = 1'; document.body.append(s); })()"
    )
    check(
        page.run("typeof injected") == "undefined",
        "the policy of the page lets no other script run",
    )


def main():
    chromium = find_chromium()
    if not chromium:
        print("1..0 # SKIP there is no chromium")
        return 0
    assay = os.path.abspath(sys.argv[1])
    page = Page(chromium)
    with tempfile.TemporaryDirectory() as scratch:
        cases = {n: (t, ".hist", e) for n, (t, e) in HISTORIES.items()}
        cases["hostile"] = (HOSTILE, ".hist", 2)
        for name, (text, suffix, edges) in cases.items():
            history = pathlib.Path(scratch, name + suffix)
            history.write_text(text, encoding="utf-8")
            target = os.path.join(scratch, name)
            done = subprocess.run(
                [assay, "report", "-o", target, str(history)],
                capture_output=True,
            )
            check(done.returncode == 1, f"{name}: the page is written",
                  done.stderr.decode("utf-8", "replace"))
            page.open(os.path.join(target, "index.html"))
            if name == "hostile":
                resist(page)
            else:
                look_at(page, name, edges)
            if name == "write-skew":
                use(page)
                take_along(page, assay, scratch)
        rest_on(page, assay, scratch)
        find_one_of_several(page, assay, scratch)
        follow_time(page, assay, scratch)
        print_it(page, assay, scratch)
        read_everywhere(page, assay, scratch)
        explain_words(page, assay, scratch)
        foresee(page, assay, scratch)
        prove(page, assay, scratch)
    page.close()
    return end()


sys.exit(main())
