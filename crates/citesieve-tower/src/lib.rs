//! A tower layer that puts citesieve around the responses of an HTTP service.
