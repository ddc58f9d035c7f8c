"""Execute the notebooks in place, to commit their outputs: those of the teaching profile.

    python tools/execute_notebooks.py [NN ...]

Each runs in `notebooks/`. Times are not recorded, so that the same code gives the same bytes. A
notebook with a cell that fails is left as it was.
"""

import os
import sys

import nbformat
from nbclient import NotebookClient
from tqdm import tqdm

from citectx.runs import notebooks
from citectx.show.lessons import STATIC
from citectx.storage import write_atomically


def main(only: list[str]) -> None:
    """Execute the notebooks that were named, or all."""
    os.environ[STATIC] = "1"
    for path in tqdm(notebooks(only), unit="notebook"):
        notebook = nbformat.read(path, as_version=4)
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            record_timing=False,
            coalesce_streams=True,  # as `citectx run` does
            resources={"metadata": {"path": path.parent}},
        )
        client.execute()
        write_atomically(path, (nbformat.writes(notebook) + "\n").encode())


if __name__ == "__main__":
    main(sys.argv[1:])
