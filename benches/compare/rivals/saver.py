import os
import sqlite3
import tempfile
from importlib.metadata import version

import langgraph.graph  # the script needs it too
import uvloop
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver


async def main():
    with tempfile.TemporaryDirectory() as folder:
        async with AsyncSqliteSaver.from_conn_string(os.path.join(folder, "c.sqlite")) as saver:
            await saver.setup()
            values = {}
            for name in ("journal_mode", "synchronous", "wal_autocheckpoint"):
                async with saver.conn.execute(f"PRAGMA {name}") as cursor:
                    values[name] = (await cursor.fetchone())[0]
    levels = ["OFF", "NORMAL", "FULL", "EXTRA"]
    print(
        f"LangGraph {version('langgraph')} on SQLite {sqlite3.sqlite_version}: "
        f"journal_mode={values['journal_mode'].upper()} synchronous={levels[values['synchronous']]} "
        f"wal_autocheckpoint={values['wal_autocheckpoint']}"
    )


uvloop.run(main())
