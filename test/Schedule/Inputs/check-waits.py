# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says from a trace of the simulated driver's calls whether the host waits within steps: between two waits are as many launches
as a step has, if there are as many such groups as steps.

    check-waits.py TRACE STEPS
"""
import re
import sys

WAITS = {"cuStreamSynchronize", "cuStreamQuery", "cuEventSynchronize", "cuEventQuery", "cuMemcpyDtoHAsync_v2", "cuMemcpyHtoDAsync_v2"}
steps = {}
for line in open(sys.argv[1]):
    device, function = re.match(r"(?:device (\d+)|no device): (\w+)\(", line).groups()
    launches = steps.setdefault(device, [0])
    if function.startswith("cuLaunchKernel"):
        launches[-1] += 1
    elif function in WAITS and launches[-1]:
        launches.append(0)
fails = False
for device, launches in sorted(item for item in steps.items() if any(item[1])):
    launches = launches[:-1] if not launches[-1] else launches
    if len(set(launches)) == 1 and len(launches) == int(sys.argv[2]):
        print(f"device {device}: {len(launches)} steps of {launches[0]} launches, no wait within")
        continue
    fails = True
    print(f"device {device}: waits within {sys.argv[2]} steps: launches {', then '.join(map(str, launches))}")
sys.exit(fails)
