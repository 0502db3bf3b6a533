# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the trace of a step on simulated devices: usage check-device-trace.py TRACE RANKS STREAMS."""
import json
import sys

trace = json.load(open(sys.argv[1]))
ranks, streams = int(sys.argv[2]), int(sys.argv[3])
assert trace["otherData"]["clock"] == "modelled", trace["otherData"]
named = [event for event in trace["traceEvents"] if event["ph"] == "M"]
assert sum(event["name"] == "process_name" for event in named) == ranks, named
assert all("(modelled)" in event["args"]["name"] for event in named if event["name"] == "process_name")
tracks, ends = {}, {}
for event in (event for event in trace["traceEvents"] if event["ph"] == "X"):
    assert event["dur"] > 0, event
    tracks.setdefault((event["pid"], event["tid"]), []).append(event)
    if event["cat"] == "all_reduce":
        ends.setdefault(event["name"], []).append(event["ts"] + event["dur"])
assert len(tracks) == ranks * streams, list(tracks)
for track, events in tracks.items():
    assert any(e["name"] == "thread_name" and (e["pid"], e["tid"]) == track for e in named), track
    # Times have a resolution of 0.001 us, and ends are sums of two.
    for earlier, later in zip(events, events[1:]):
        assert earlier["ts"] + earlier["dur"] <= later["ts"] + 0.01, (earlier, later)
if ranks > 1:
    assert ends and all(len(times) == ranks for times in ends.values()), ends
