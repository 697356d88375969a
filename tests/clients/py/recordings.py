"""Real recorded streams, sieved with every id real: the clients must see what they see of the untouched streams, errors
included, and the verdict beside it where they show it."""

import os
import pathlib

import streams
from common import BASE, ok

UNTOUCHED = os.environ["CITESIEVE_UNTOUCHED"]
FOLDER = pathlib.Path(os.environ["CITESIEVE_RECORDINGS"])

# Package, dialect, which recordings, whether the client shows the verdict, its stream.
CLIENTS = (
    ("openai", "openai-chat", "*.sse", True, streams.openai_chat),
    ("openai", "openai-completions", "*.sse", True, streams.openai_completions),
    ("openai", "openai-responses", "*.sse", True, streams.openai_responses),
    ("anthropic", "anthropic", "*.sse", True, streams.anthropic_messages),
    ("google-genai", "gemini", "*.sse", False, streams.gemini),
    ("cohere", "cohere-v2", "*.sse", True, streams.cohere_chat),
    ("ollama", "ollama", "chat*.ndjson", False, streams.ollama_chat),
    ("ollama", "ollama", "generate*.ndjson", False, streams.ollama_generate),
    ("mistralai", "openai-chat", "mistral*.sse", False, streams.mistral_chat),
)

for package, dialect, which, shows, stream in CLIENTS:
    verdicts, files = 0, sorted((FOLDER / dialect).glob(which))
    for file in files:
        untouched, none, error = streams.seen(stream, UNTOUCHED, {}, file.stem)
        sieved, verdict, same = streams.seen(stream, BASE, {}, file.stem)
        assert untouched and none is None, file
        assert sieved == untouched, f"{file}: not what the untouched stream shows"
        assert (type(same), str(same)) == (type(error), str(error)), f"{file}: {same} instead of {error}"
        verdicts += verdict is not None
    assert files and (verdicts > len(files) / 2 if shows else verdicts == 0), (package, dialect, verdicts)
    ok(package, f"{len(files)} recordings of {dialect}, as untouched, {verdicts} with a verdict to see")
