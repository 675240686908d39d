#!/usr/bin/env python3
"""Runs the conformance suite of MCP against the client and the server of the folder that holds them, and scores it.

    score.py SUITE FOLDER [client|server|all]

SUITE is the folder where npm installed the suite and Node. Each scenario that a revision requires is run by itself, within a
time limit, against a server of its own, and once more alone when it fails; those that it does not score are run and shown, but
not counted. A scenario counts when it has at least one SUCCESS and no FAILURE in its checks.json: a client that crashed leaves no
checks, which is no success. Ends with 1 when one that is required does not count; then what was logged is kept.
"""
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

REVISIONS = ["2025-11-25", "2026-07-28"]
# Optional extensions of MCP that the client has.
EXTENSIONS = {"auth/client-credentials-basic"}
# Seconds for one scenario, as the suite counts them: enough for a machine that is slow or busy. Where the suite forgets its limit,
# ours ends the scenario.
SUITE_LIMIT = 300
LIMIT = SUITE_LIMIT + 30
# When no more than so many fail, they are run once more, alone. If more do, that is not for what else the machine does.
SECOND_TRIES = 10


def scenarios(suite, revision):
    """The scenarios of both roles: (role, name, whether it is scored). Extensions of MCP that nothing here offers are left out."""
    text = (suite / f"node_modules/@modelcontextprotocol/conformance/requirements/{revision}.yaml").read_text()
    sections = dict(re.findall(r"^(server|client|not_scored):\n((?:[ ].*\n|#.*\n|\n)*)", text + "\n", re.M))
    found = [(role, name, True) for role in ("server", "client") for name in re.findall(r"- (\S+)", sections[role])]
    unscored = re.findall(r"scenario: (\S+)\s+leg: (\w+)\s+reason: (\S+)", sections["not_scored"])
    return found + [(role, name, False) for name, role, reason in unscored if reason != "extension" or name in EXTENSIONS]


def environment():
    """Nothing of the suite leaves this machine, so that a proxy could only disturb."""
    return {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}


def stop(process):
    """Stops a process that was started here, and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def limited(command, log):
    process = subprocess.Popen(command, env=environment(), stdout=log, stderr=log, start_new_session=True)
    try:
        process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        log.write(b"\nstopped: too slow\n")
    finally:
        stop(process)


def run(suite, folder, revision, role, name, out):
    """Runs a scenario and returns its checks."""
    node = suite / "node_modules/.bin/node"
    command = [node, suite / "node_modules/@modelcontextprotocol/conformance/dist/index.js", role]
    command += ["--scenario", name, "--spec-version", revision, "--force"]
    command += ["--timeout", str(SUITE_LIMIT * 1000), "-o", out / "results"]
    with (out / "log").open("wb") as log:
        if role == "client":
            limited([*command, "--command", folder / "conformance_client"], log)
        else:
            server = subprocess.Popen(
                [folder / "conformance_server"], stdout=subprocess.PIPE, stderr=log, env=environment(), start_new_session=True
            )
            overdue = threading.Timer(2 * LIMIT, server.kill)
            overdue.start()
            try:
                # The server's first line is its address; it ends without one when it cannot start.
                address = server.stdout.readline().decode().strip()
                limited([*command, "--url", address], log)
            finally:
                overdue.cancel()
                stop(server)
    checks = [json.loads(file.read_text()) for file in out.rglob("checks.json")]
    return checks[0] if len(checks) == 1 else []


def verdict(checks):
    """Whether the checks of a scenario count, and what is wrong with it."""
    wrong = [f"{check['id']}: {check.get('errorMessage') or check['description']}" for check in checks if check["status"] == "FAILURE"]
    succeeded = sum(check["status"] == "SUCCESS" for check in checks)
    return succeeded > 0 and not wrong, succeeded, wrong or ([] if succeeded else ["no check was made"])


def main(suite, folder, roles):
    suite, folder = Path(suite).resolve(), Path(folder).resolve()
    jobs = [(revision, *scenario) for revision in REVISIONS for scenario in scenarios(suite, revision) if scenario[0] in roles]
    kept = Path(tempfile.mkdtemp(prefix="mcp-conformance-"))

    def attempt(job, suffix=""):
        revision, role, name, _ = job
        out = kept / role / revision / (name.replace("/", "-") + suffix)
        out.mkdir(parents=True)
        return verdict(run(suite, folder, revision, role, name, out))

    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        verdicts = dict(zip(jobs, pool.map(attempt, jobs)))
    again = [job for job in jobs if job[3] and not verdicts[job][0]]
    again = again if len(again) <= SECOND_TRIES else []
    verdicts.update((job, attempt(job, "-again")) for job in again)

    scores, all_count = [], True
    for role in roles:
        parts = []
        for revision in REVISIONS:
            print(f"\n{role}, revision {revision}")
            mine = [(job, verdicts[job]) for job in jobs if job[:2] == (revision, role)]
            for job, (counts, succeeded, wrong) in mine:
                _, _, name, scored = job
                mark = "pass" if counts else "FAIL"
                mark += ("" if scored else " (not scored)") + (" (2nd try)" if job in again else "")
                print(f"  {mark:<18} {name:<46} {succeeded:>3} checks")
                for line in wrong:
                    print(f"  {'':<18}   {line}")
            required = [result[0] for job, result in mine if job[3]]
            parts.append(f"{sum(required)}/{len(required)}")
            all_count &= all(required)
        scores.append(f"{role} {' '.join(parts)}")
    if all_count:
        shutil.rmtree(kept)
    else:
        print(f"\nlogs: {kept}")
    print(f"\n{', '.join(scores)}")
    return 0 if all_count else 1


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or (sys.argv[3:] and sys.argv[3] not in ("client", "server", "all")):
        sys.exit(__doc__)
    wanted = sys.argv[3] if sys.argv[3:] else "all"
    sys.exit(main(sys.argv[1], sys.argv[2], ["server", "client"] if wanted == "all" else [wanted]))
