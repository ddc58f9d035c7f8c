"""Run by test_kernels.py under several kernels: prints a digest of labels and scores."""

import hashlib

import numpy as np

from citectx.corpora.coresc import CLASSES
from citectx.recommendation.coresc import CoreSCClassifier
from tests.recommendation.test_coresc import varied


def main() -> None:
    """Train on 20 papers, label 100 of 20 sentences, print which BLAS kernel did it and what came out."""
    from threadpoolctl import threadpool_info

    training, labels = varied(20, seed=1)
    papers, _ = varied(100, seed=2)
    model = CoreSCClassifier(min_count=1, members=2, epochs=1).fit(training, labels)
    found = model.predict(papers)
    assert sum(map(len, found)) == 2000
    numbers = np.array([CLASSES.index(c) for own in found for c in own], dtype=np.uint8)
    kernels = sorted({str(i.get("architecture")) for i in threadpool_info() if i["user_api"] == "blas"})
    digest = hashlib.sha256(numbers.tobytes() + model.fingerprint.encode()).hexdigest()
    print("kernel", ",".join(kernels), "digest", digest, "classes", len(np.unique(numbers)))


if __name__ == "__main__":
    main()
