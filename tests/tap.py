"""TAP for tests in Python: one line a check, the plan at the end."""

number = failures = 0


def check(fact, name, detail=""):
    global number, failures
    number += 1
    failures += not fact
    print(f"{'ok' if fact else 'not ok'} {number} - {name}")
    for line in str(detail).splitlines() if not fact else []:
        print("# " + line)


def skip(name, why):
    global number
    number += 1
    print(f"ok {number} - {name} # SKIP {why}")


def end():
    """Print the plan; whether anything failed."""
    print(f"1..{number}")
    return failures > 0
