//! Quotes: are these words in that source?
