//! A reverse proxy that checks the cited answers of LLM APIs while they stream.
