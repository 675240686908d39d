#!/usr/bin/env bash
# Runs the official conformance suite of MCP against a client and a server that are built on research-mcp, and prints the score.
#
#   tests/mcp_conformance/run.sh [client|server|all]
#
# Nothing but the package registry of npm is needed, and everything afterwards is on loopback. The suite and the Node that it
# runs on are kept in $XDG_CACHE_HOME/research-mcp-servers/conformance, by default below ~/.cache. Where they cannot be had, the
# suite is skipped, loudly; with RESEARCH_MCP_SERVERS_REQUIRED=1 that is a failure.
set -euo pipefail
cd "$(dirname "$0")/../.."
roles=${1:-all}
suite=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/research-mcp-servers/conformance
version=0.2.0-alpha.12

skip() {
    {
        printf '\n%s\n' '!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!'
        printf '!!  SKIPPED: the conformance suite of MCP did NOT run.\n!!  %s\n' "$1"
        printf '%s\n\n' '!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!'
    } >&2
    [ "${RESEARCH_MCP_SERVERS_REQUIRED:-}" != 1 ] || exit 1
    exit 0
}

node=$suite/node_modules/.bin/node
has_suite() {
    grep -qs "\"version\": \"$version\"" "$suite/node_modules/@modelcontextprotocol/conformance/package.json" &&
        "$node" --version 2>/dev/null | grep -q '^v22\.'
}
command -v python3 >/dev/null || skip "there is no python3"
if ! has_suite; then
    command -v npm >/dev/null || skip "there is no npm"
    mkdir -p "$suite"
    timeout -k 10 600 npm install --prefix "$suite" --no-audit --no-fund --loglevel error \
        "@modelcontextprotocol/conformance@$version" node@22 || skip "the suite cannot be installed"
    has_suite || skip "the suite is installed but does not start"
fi

# With an example, so that cargo takes what the tests of the workspace have built.
cargo build --workspace --bin conformance_client --bin conformance_server --example first_agent
target=$(cargo metadata --format-version 1 --no-deps | python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')
exec python3 tests/mcp_conformance/score.py "$suite" "$target/debug" "$roles"
