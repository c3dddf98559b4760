#!/usr/bin/env python3
"""What check writes for other programs is what their formats say.

    test_schemas.py ASSAY

JUnit is compared with junit.xsd here, by xmllint; SARIF with sarif.json here,
by the Python module jsonschema, or with the standard's own schema where
SARIF_SCHEMA names its file; SVG and HTML are well formed XML and HTML; JSON
has what the contract of the command line says.  Speaks TAP; what a missing
tool cannot check is skipped.
"""
import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import check, end, skip

here = pathlib.Path(__file__).resolve().parent
HISTORIES = {
    "ok.hist": "[x:=1] [x==1]",
    "lost-update.hist": "a[x:=1] --- b[x==1 x:=2] --- c[x==1 x:=3]",
    "aborted.hist": "[x:=1]! --- [x==1]",
    "two.hist": "[x==? x:=1] --- [x==? x:=2] --- [a==? b:=1] --- [b==? a:=1]",
    "stamps.jsonl": '{"session":1,"ops":[["w","x",1]],"start_ts":1,"commit_ts":2}\n'
    '{"session":2,"ops":[["r","x",null]],"start_ts":3,"commit_ts":3}\n',
    "hostile <&'\".hist": r"""--- "</text><script>\x1b"
"]]>&amp;<!--"["<x y='\"'>"==? "\\\"\xe2\x80\xae\xff":="</failure>"]
--- "\n\t" "-->"["\\\"\xe2\x80\xae\xff"==? "<x y='\"'>":="`|*_"]""",
}


class Strict(html.parser.HTMLParser):
    """Notes elements that are not closed in order."""

    VOID = {"meta", "input", "br"}

    def __init__(self):
        super().__init__()
        self.open, self.wrong, self.scripts = [], [], 0

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def main():
    assay = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in HISTORIES.items():
            pathlib.Path(scratch, name).write_text(text, encoding="utf-8")

        def run(form):
            done = subprocess.run(
                [assay, "check", "-l", "si,ser", "--output", form]
                + sorted(HISTORIES),
                cwd=scratch,
                capture_output=True,
            )
            check(done.returncode == 1, f"{form} is written", done.stderr)
            check(
                not set(done.stdout) & (set(range(32)) - {9, 10})
                and b"\xe2\x80\xae" not in done.stdout,
                f"{form} hides nothing",
            )
            return done.stdout.decode("utf-8")  # fails where it is not

        junit = run("junit")
        pathlib.Path(scratch, "junit.xml").write_text(junit, encoding="utf-8")
        svg = run("svg").replace("</svg>\n", "</svg>\n\0").split("\0")[:-1]
        pages = [("junit", "junit.xml", ["--schema", str(here / "junit.xsd")])]
        for i, drawing in enumerate(svg):
            pathlib.Path(scratch, f"{i}.svg").write_text(drawing, "utf-8")
            pages.append((f"svg {i}", f"{i}.svg", []))
        for name, path, options in pages:
            if not shutil.which("xmllint"):
                skip(f"{name} is well formed", "there is no xmllint")
                continue
            done = subprocess.run(
                ["xmllint", "--noout", *options, path],
                cwd=scratch,
                capture_output=True,
            )
            check(done.returncode == 0, f"{name} is well formed", done.stderr)

        sarif = json.loads(run("sarif"))
        check(len(sarif["runs"][0]["results"]) == 8, "sarif has all results",
              len(sarif["runs"][0]["results"]))
        try:
            import jsonschema

            schema = os.environ.get("SARIF_SCHEMA", here / "sarif.json")
            jsonschema.validate(sarif, json.loads(pathlib.Path(schema).read_text()))
            check(True, "sarif fits its schema")
        except ImportError:
            skip("sarif fits its schema", "there is no Python module jsonschema")
        except jsonschema.ValidationError as error:
            check(False, "sarif fits its schema", error.message)

        lines = [json.loads(line) for line in run("json").splitlines()]
        check(len(lines) == len(HISTORIES), "json has a line per history")
        done = subprocess.run([assay, "test", "store:si", "-w", "skew", "--keys", "4", "--json", "--store", ""],
                              cwd=scratch, capture_output=True, text=True)
        lines.append(json.loads(done.stdout))
        parts = lines[-1]["timeline"]["intervals"]
        check(all(sum(part[kind] for part in parts) == lines[-1]["run"][kind]
                  for kind in ("committed", "aborted", "unknown")),
              "the intervals of a run sum up")
        done = subprocess.run([assay, "check", "--json", "-l", "all", *sorted(HISTORIES)], cwd=scratch,
                              capture_output=True, text=True)
        lines += [json.loads(line) for line in done.stdout.splitlines()]
        try:
            schema = json.loads((here.parents[1] / "doc/result.schema.json").read_text())
            for line in lines:
                jsonschema.validate(line, schema)
            check(True, "json fits doc/result.schema.json")
        except NameError:
            skip("json fits its schema", "there is no Python module jsonschema")
        except jsonschema.ValidationError as error:
            check(False, "json fits its schema", error.message)
        claims = [result["timestamps"] for line in lines if line["history"] == "stamps.jsonl"
                  for result in line["results"] if "timestamps" in result]
        check(claims and all(c["order"] == "contradicted" and "start_ts 3" in c["reason"] or "commit_ts 3" in c["reason"]
                             for c in claims), "json has what contradicts timestamps", claims)
        for line in lines:
            for result in line["results"]:
                for anomaly in result.get("anomalies", []):
                    ring = anomaly["cycle"]
                    check(
                        all(a["to"] == b["from"] for a, b in
                            zip(ring, ring[1:] + ring[:1]))
                        and set(e["from"] for e in ring)
                        <= set(anomaly["transactions"]),
                        f"json: {anomaly['name']} is a ring of its transactions",
                    )

        page = Strict()
        page.feed(run("html"))
        check(not page.wrong and not page.open, "html closes what it opens",
              (page.wrong, page.open))
        check(page.scripts == 1, "html has one script")
        for form in ("text", "markdown", "dot"):
            run(form)
        programs(assay, scratch)
    return end()


PROGRAM = """CREATE TABLE "a<b>" (k int PRIMARY KEY, v int);
CREATE FUNCTION "f<&>"(p int) RETURNS int LANGUAGE plpgsql STRICT AS $$
DECLARE a int;
BEGIN
  SELECT v INTO a FROM "a<b>" WHERE k = p; -- </pre><script>
  UPDATE "a<b>" SET v = a + 1 WHERE k = p;
  RETURN a;
END $$;
"""


def programs(assay, scratch):
    """What prove writes: a program with an anomaly at rc, proved at si."""
    pathlib.Path(scratch, "p&.sql").write_text(PROGRAM, encoding="utf-8")

    def run(form):
        return subprocess.run(
            [assay, "prove", "-l", "rc,si", "--output", form, "p&.sql"],
            cwd=scratch,
            capture_output=True,
        )

    done = run("sarif")
    if done.returncode == 2:
        skip("prove writes other formats", done.stderr.decode())
        return
    sarif = json.loads(done.stdout)["runs"][0]
    check(done.returncode == 1, "prove writes sarif", done.stderr)
    check([r.get("kind", "fail") for r in sarif["results"]] == ["fail", "pass"],
          "a result for each level")
    place = sarif["results"][0]["locations"][0]["physicalLocation"]
    check(place["artifactLocation"]["uri"] == "p%26.sql"
          and place["region"]["startLine"] == 5, "sarif has the line", place)
    steps = sarif["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [s["location"]["physicalLocation"]["region"]["startLine"]
             for s in steps]
    check(lines == [5, 5, 6, 7, 6, 7], "sarif has the steps", lines)
    try:
        import jsonschema

        schema = os.environ.get("SARIF_SCHEMA", here / "sarif.json")
        jsonschema.validate(json.loads(done.stdout),
                            json.loads(pathlib.Path(schema).read_text()))
        check(True, "prove's sarif fits its schema")
    except ImportError:
        skip("prove's sarif fits its schema", "there is no module jsonschema")
    except jsonschema.ValidationError as error:
        check(False, "prove's sarif fits its schema", error.message)
    page = Strict()
    page.feed(run("html").stdout.decode("utf-8"))
    check(not page.wrong and not page.open and page.scripts == 1,
          "prove's html closes what it opens", (page.wrong, page.open))
    text = run("markdown").stdout.decode("utf-8")
    check("### read-committed: anomaly" in text and text.count("```") == 2,
          "prove writes markdown", text)
    check(json.loads(run("json").stdout)["results"][1]["verdict"] == "proved",
          "prove writes json")


sys.exit(main())
