"""What no notebook makes: ``python -m citectx.papers.sigir2017 readings`` or ``dense``."""

import sys

from citectx.errors import CitectxError
from citectx.ledger.readings import main
from citectx.papers.sigir2017 import dense
from citectx.papers.sigir2017.readings import CURVES
from citectx.profiles import profile

if __name__ == "__main__":
    if sys.argv[1:2] != ["dense"]:
        main(CURVES)
    else:
        try:
            opened = profile("open")
            result = dense.run(opened.load(), *sys.argv[2:])
            command = " ".join(["python -m citectx.papers.sigir2017", *sys.argv[1:]])
            print(result.write(opened.results / result.experiment, command=command))
        except CitectxError as error:
            sys.exit(f"citectx: {error}")
