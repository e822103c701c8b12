#!/usr/bin/env python3
"""A very small agent for `kgate search`: it proposes the next setting of one tunable that was not tried yet.

In .kgate/policy.toml:

    [search]
    proposer = "command"
    command  = ["python3", "/opt/agents/agent.py"]

One JSON request on stdin, one JSON reply on stdout; docs/agent-protocol.md has both. Python's standard library is enough.
"""
import json
import sys


def reply(**fields):
    json.dump({"schema": "kgate.agent/1", **fields}, sys.stdout)


def main():
    request = json.load(sys.stdin)
    if request["schema"] != "kgate.agent/1":
        sys.exit(f"this agent speaks kgate.agent/1, not {request['schema']}")
    if request["ask"] == "repair":
        reply(exhausted="a setting that fails has no repair")
        return
    briefing = request["briefing"]
    current = briefing["parameters"]
    tried = [one["parameters"] for one in briefing["tried"]]
    for name, values in sorted(briefing["tunables"].items()):
        for value in values:
            setting = {**current, name: value}
            if setting == current or setting in tried:
                continue
            reply(
                direction="tuning",
                parts=[{
                    "name": f"{name} = {value}",
                    "hypothesis": f"{name} may do better at {value} than at {current.get(name, 'its default')}",
                    "parameters": {name: value},
                }],
            )
            return
    reply(exhausted="every neighbour of the best setting was tried")


main()
