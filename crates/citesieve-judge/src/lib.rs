//! What strings cannot decide about a cited answer, asked of a model.
