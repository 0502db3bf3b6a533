# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""JAX_PLATFORMS=dmc: JAX finds this package, and with it the platform. Its devices are DMC_NUM_DEVICES ranks."""


def initialize() -> None:
    """Called by JAX in every process; makes nothing before the platform is asked for."""
    import jax

    # A platform that is not asked for by name stays out of the way, whatever is missing here.
    if "dmc" not in (jax.config.jax_platforms or "").split(","):
        return
    from dmc.pjrt.platform import register
    register()
