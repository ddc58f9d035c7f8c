"""Citation recommendation: CoreSC classes of sentences, fielded retrieval, weight training."""
