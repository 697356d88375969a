//! Adapters that put citesieve around a `futures` stream of text or of response bytes.
