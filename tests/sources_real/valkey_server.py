"""Serves the protocol of Valkey on a port of loopback. The limiter of SearXNG does not start without one."""

import sys

from fakeredis import TcpFakeServer

TcpFakeServer(("127.0.0.1", int(sys.argv[1]))).serve_forever()
