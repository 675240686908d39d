#!/usr/bin/env bash
# Installs the MCP servers that these tests speak to, in the versions that servers/ pins, and prints the folder where they are.
#
#   tests/mcp_real/install.sh
#
# The folder is $RESEARCH_MCP_SERVERS, by default ~/.cache/research-mcp-servers. Node with npm, Python and git are needed, and the
# registries of npm and Python where something is missing; what is there already is not fetched again.
set -euo pipefail
cd "$(dirname "$0")/servers"
cache=${RESEARCH_MCP_SERVERS:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/research-mcp-servers}

fail() {
    echo "$1" >&2
    exit 1
}

node_servers() {
    # Written when npm is through; npm begins with removing the folder.
    local done=$cache/node_modules/.pins.json
    ! cmp -s package-lock.json "$done" || return 0
    command -v npm >/dev/null || fail "there is no npm"
    cp package.json package-lock.json "$cache/"
    timeout -k 10 600 npm ci --prefix "$cache" --ignore-scripts --no-audit --no-fund --loglevel error >&2 ||
        fail "the servers from npm cannot be installed"
    cp package-lock.json "$done"
}

python_servers() {
    local environment=$cache/$1 pins=$2
    local python=$environment/bin/python
    if [ -x "$python" ] && "$python" -m pip freeze 2>/dev/null | cmp -s - "$pins"; then
        return
    fi
    command -v python3 >/dev/null || fail "there is no python3"
    python3 -m venv "$environment" || fail "python3 cannot make a virtual environment in $environment"
    timeout -k 10 600 "$python" -m pip install --quiet --only-binary :all: -r "$pins" >&2 || fail "the servers of $pins cannot be installed"
}

command -v node >/dev/null || fail "there is no node"
# What package-lock.json asks for. npm only warns, and the servers then fail in their own ways.
node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' || fail "node is older than 20"
command -v git >/dev/null || fail "there is no git"
mkdir -p "$cache"
node_servers
python_servers py python.txt
# The sqlite server does not go with the SDK of the others.
python_servers py1 python-mcp1.txt
echo "$cache"
