"""How Jupyter manages kernels that the nursery forks (`citectx.runs.nursery`)."""

import sys
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from citectx.runs import nursery


def manager() -> type[AsyncKernelManager]:
    """Return the class of a kernel's manager: one that has them forked where there is a nursery."""
    return _Manager if nursery.here() else AsyncKernelManager


class _Manager(AsyncKernelManager):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.provisioner = _Provisioner(parent=self, kernel_spec=self.kernel_spec)


class _Provisioner(LocalProvisioner):
    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
        """Have a kernel forked, unless another Python was registered for them."""
        place, (python, _, launched, *arguments) = nursery.here(), cmd
        if place is None or (python, launched) != (sys.executable, "ipykernel_launcher"):
            return await super().launch_kernel(cmd, **kwargs)
        self.cwd = kwargs["cwd"]
        kernel: Any = nursery.Kernel(place, arguments, kwargs["env"], kwargs["cwd"])
        self.process, self.pid, self.pgid = kernel, kernel.pid, kernel.pid  # it leads a group
        return self.connection_info
