"""An MCP server over the wildlife strikes of the examples, made with FastMCP, that names everything in its own way.

    fastmcp_events.py FILE.csv [--http PORT]

FILE.csv has the columns of examples/data/birdstrikes.csv. The server speaks over standard input and output, or over streamable
HTTP at http://127.0.0.1:PORT/mcp. `search_reports` pages with `offset` and `limit` and counts groups; `browse_reports` pages with
`next_token` and answers with JSON as a text, in the shape of Elasticsearch.
"""

import argparse
import csv
import json
from collections import Counter
from typing import Annotated, Any, NotRequired

from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

TEXTS = {
    "airport": "Airport Name",
    "aircraft": "Aircraft Make Model",
    "damage": "Effect Amount of damage",
    "happened_on": "Flight Date",
    "operator": "Aircraft Airline Operator",
    "state": "Origin State",
    "phase": "Phase of flight",
    "animal_size": "Wildlife Size",
    "species": "Wildlife Species",
    "time_of_day": "Time of day",
}
NUMBERS = {
    "other_cost": "Cost Other",
    "repair_cost": "Cost Repair",
    "total_cost": "Cost Total $",
    "speed_knots": "Speed IAS in knots",
}
GROUPS = [*TEXTS, *NUMBERS]
COMPARISONS = {
    "gte": lambda value, bound: value >= bound,
    "gt": lambda value, bound: value > bound,
    "lte": lambda value, bound: value <= bound,
    "lt": lambda value, bound: value < bound,
}


class DateRange(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="forbid")
    gte: str
    gt: str
    lte: str
    lt: str


class NumberRange(TypedDict, total=False):
    __pydantic_config__ = ConfigDict(extra="forbid")
    gte: float
    gt: float
    lte: float
    lt: float


Text = str | list[str] | None
Date = Annotated[str, Field(json_schema_extra={"format": "date"})]
Number = float | list[float] | NumberRange | None


class Conditions(TypedDict, total=False):
    """All must hold. A list means one of its values, null an empty cell."""

    __pydantic_config__ = ConfigDict(extra="forbid")
    airport: Text
    aircraft: Text
    damage: Text
    happened_on: Date | list[Date] | DateRange | None
    operator: Text
    state: Text
    phase: Text
    animal_size: Text
    species: Text
    time_of_day: Text
    other_cost: Number
    repair_cost: Number
    total_cost: Number
    speed_knots: Number


class Report(TypedDict):
    _id: str
    headline: str
    link: str
    airport: str | None
    aircraft: str | None
    damage: str | None
    happened_on: Date | None
    operator: str | None
    state: str | None
    phase: str | None
    animal_size: str | None
    species: str | None
    time_of_day: str | None
    other_cost: int | None
    repair_cost: int | None
    total_cost: int | None
    speed_knots: int | None


class Groups(TypedDict):
    fields: list[str]
    buckets: list[dict[str, Any]]
    sum_other_doc_count: int


class Aggregations(TypedDict):
    group_by: Groups


class Found(TypedDict):
    total_hits: int
    offset: int
    hits: list[Report]
    aggregations: NotRequired[Aggregations]


CONDITIONS = TypeAdapter(Conditions)


def load(path: str) -> list[Report]:
    with open(path, newline="", encoding="utf-8") as file:
        return [report(number, row) for number, row in enumerate(csv.DictReader(file), start=1)]


def report(number: int, row: dict[str, str]) -> Report:
    record: dict[str, Any] = {"_id": f"BS-{number:05}"}
    record["headline"] = f"{row['Wildlife Species']} struck {row['Aircraft Make Model']} at {row['Airport Name']}"
    record["link"] = f"https://strikes.example/reports/{number}"
    record |= {name: row[column] or None for name, column in TEXTS.items()}
    record |= {name: int(row[column]) if row[column] else None for name, column in NUMBERS.items()}
    return record


def conditions(filters: Conditions | str) -> Conditions:
    """Many clients send an object argument as text."""
    if not isinstance(filters, str):
        return filters
    try:
        return CONDITIONS.validate_json(filters or "{}")
    except ValidationError as error:
        raise ToolError(f"filters: {error}") from error


def holds(value: Any, condition: Any) -> bool:
    if isinstance(condition, dict):
        return value is not None and all(COMPARISONS[name](value, bound) for name, bound in condition.items())
    return value in condition if isinstance(condition, list) else value == condition


def selected(reports: list[Report], filters: Conditions) -> list[Report]:
    return [one for one in reports if all(holds(one[name], condition) for name, condition in filters.items())]


def counted(reports: list[Report], fields: list[str], top: int) -> Groups:
    unknown = [name for name in fields if name not in GROUPS]
    if unknown:
        raise ToolError(f"group_by: there is no field {unknown[0]!r}; there are: {', '.join(GROUPS)}")
    counts = Counter(tuple(one[name] for name in fields) for one in reports)
    # The largest first, and equal ones in the order of their names.
    largest = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))[:top]
    return {
        "fields": fields,
        "buckets": [{"value": key[0] if len(key) == 1 else list(key), "count": count} for key, count in largest],
        "sum_other_doc_count": len(reports) - sum(count for _, count in largest),
    }


def server(reports: list[Report]) -> FastMCP:
    mcp = FastMCP("strike-reports", instructions="Reports of wildlife that was struck by aircraft.")
    read_only = {"readOnlyHint": True, "idempotentHint": True, "openWorldHint": False}

    @mcp.tool(annotations=read_only)
    def search_reports(
        filters: Annotated[Conditions | str, Field(description="An object, or the same as a JSON text.")] = "",
        group_by: Annotated[str, Field(description=f"Count by these, comma-separated: {', '.join(GROUPS)}.")] = "",
        top: Annotated[int, Field(ge=1, description="Most groups, the largest first.")] = 50,
        offset: Annotated[int, Field(ge=0, description="Reports to leave out at the begin.")] = 0,
        limit: Annotated[int, Field(ge=0, le=250, description="Most reports in `hits`.")] = 20,
    ) -> Found:
        """Finds reports of wildlife strikes, and counts them by the values of fields."""
        matching = selected(reports, conditions(filters))
        found: Found = {"total_hits": len(matching), "offset": offset, "hits": matching[offset : offset + limit]}
        fields = [name.strip() for name in group_by.split(",") if name.strip()]
        if fields:
            found["aggregations"] = {"group_by": counted(matching, fields, top)}
        return found

    @mcp.tool(annotations=read_only)
    def browse_reports(
        state: Annotated[str, Field(description="Only reports of this state; all when empty.")] = "",
        next_token: Annotated[str, Field(description="Token of the page before, for the page after it.")] = "",
        limit: Annotated[int, Field(ge=1, le=100, description="Most reports in one page.")] = 50,
    ) -> str:
        """Leafs through the reports, page by page."""
        matching = selected(reports, {"state": state} if state else {})
        begin = int(next_token.removeprefix("after-")) if next_token else 0
        page = matching[begin : begin + limit]
        end = begin + len(page)
        return json.dumps(
            {
                "hits": {
                    "total": {"value": len(matching), "relation": "eq"},
                    "hits": [{"_id": one["_id"], "_source": {k: v for k, v in one.items() if k != "_id"}} for one in page],
                },
                "next_token": f"after-{end}" if end < len(matching) else None,
            }
        )

    return mcp


def main() -> None:
    arguments = argparse.ArgumentParser(description="Serves reports of wildlife strikes over MCP.")
    arguments.add_argument("file")
    arguments.add_argument("--http", type=int, metavar="PORT")
    given = arguments.parse_args()
    mcp = server(load(given.file))
    if given.http is None:
        mcp.run(transport="stdio", show_banner=False)
    else:
        mcp.run(transport="http", host="127.0.0.1", port=given.http, show_banner=False)


if __name__ == "__main__":
    main()
