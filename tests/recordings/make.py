#!/usr/bin/env python3
"""Writes the answer of ../cases/lease.txt in the form of each provider's API: NAME.sse or NAME.ndjson is the stream,
NAME.json the same answer as one body. The forms are those of real streams, field for field; the text is cut so that
most markers lie over two events. The llama-*.sse beside them are real streams of llama-server and not made here."""

import json
import pathlib

HERE = pathlib.Path(__file__).parent
TEXT = (HERE / "../cases/lease.txt").read_text()
ANNEX = "the annex"
CREATED = 1796062305


def cuts(lengths=(4, 9, 2, 17, 1, 6, 26, 3, 11)):
    """TEXT in pieces of these lengths, over and over, with one more cut inside each second marker."""
    borders, at, turn = set(), 0, 0
    while at < len(TEXT):
        at += lengths[turn % len(lengths)]
        turn += 1
        borders.add(min(at, len(TEXT)))
    markers = [i for i, c in enumerate(TEXT) if c == "["]
    borders.update(i + 1 for i in markers[::2])
    borders = sorted(borders)
    return [TEXT[a:b] for a, b in zip([0] + borders, borders)]


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def spaced(value):
    return json.dumps(value, ensure_ascii=False).replace(", \"", ",\"")


def write(path, text):
    path = HERE / path
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(text.encode())


def sse(frames, named=False, write_json=compact, end="\n", done=True):
    out = ""
    for frame in frames:
        if named:
            out += f"event: {frame['type']}{end}"
        out += f"data: {write_json(frame)}{end}{end}"
    return out + (f"data: [DONE]{end}{end}" if done else "")


def openai_chat():
    def chunk(choices, **more):
        return {"id": "chatcmpl-E4Rjs6IxaJVge9Ntk5keJsaeDy6vS", "object": "chat.completion.chunk", "created": CREATED,
                "model": "gpt-5-2025-08-07", "service_tier": "default", "system_fingerprint": None, "choices": choices,
                "usage": None, **more, "obfuscation": "CVQ55DocFW"}

    def choice(delta, finish=None):
        return [{"index": 0, "delta": delta, "finish_reason": finish}]

    usage = {"prompt_tokens": 40, "completion_tokens": 232, "total_tokens": 272}
    frames = [chunk(choice({"role": "assistant", "content": "", "refusal": None}))]
    frames += [chunk(choice({"content": piece})) for piece in cuts()]
    frames += [chunk(choice({}, "stop")), chunk([], usage=usage)]
    write("openai-chat/lease.sse", sse(frames))
    message = {"role": "assistant", "content": TEXT, "refusal": None, "annotations": []}
    write("openai-chat/lease.json", json.dumps({
        "id": "chatcmpl-E4Rjs6IxaJVge9Ntk5keJsaeDy6vS", "object": "chat.completion", "created": CREATED,
        "model": "gpt-5-2025-08-07", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage, "service_tier": "default", "system_fingerprint": None}, indent=2) + "\n")


def mistral():
    def chunk(delta, finish=None, **more):
        return {"id": "7bfa9194c90e44c5a0efa6c6efa474cd", "object": "chat.completion.chunk", "created": CREATED,
                "model": "magistral-small-latest", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
                **more, "p": "abcdefghijklmno"}

    def thinking(text):
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}], "closed": True}

    usage = {"prompt_tokens": 40, "total_tokens": 272, "completion_tokens": 232}
    first, second, *pieces, last = cuts()
    frames = [chunk({"role": "assistant", "content": ""}), chunk({"content": [thinking("Clause 3 [1]")]}),
              chunk({"content": [thinking(", surely [9]."), {"type": "text", "text": first}]}),
              chunk({"content": [{"type": "text", "text": second}]})]
    frames += [chunk({"content": piece}) for piece in pieces]
    frames += [chunk({"content": last}, "stop", usage=usage)]
    write("openai-chat/mistral-lease.sse", sse(frames))
    message = {"role": "assistant", "tool_calls": None,
               "content": [thinking("Clause 3 [1], surely [9]."), {"type": "text", "text": TEXT}]}
    write("openai-chat/mistral-lease.json", compact({
        "id": "7bfa9194c90e44c5a0efa6c6efa474cd", "created": CREATED, "model": "magistral-small-latest",
        "usage": usage, "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}))


def openai_completions():
    def chunk(text, finish=None):
        return {"id": "cmpl-8wq44uFYuGm6kNe44ntRwluggKZFY", "object": "text_completion", "created": CREATED,
                "choices": [{"text": text, "index": 0, "logprobs": None, "finish_reason": finish}],
                "model": "davinci-002"}

    *pieces, last = cuts()
    write("openai-completions/lease.sse", sse([chunk(piece) for piece in pieces] + [chunk(last, "stop")]))
    write("openai-completions/lease.json", json.dumps(chunk(TEXT, "stop"), indent=2) + "\n")


def openai_responses():
    start = TEXT.index(ANNEX)
    note = {"type": "url_citation", "end_index": start + len(ANNEX), "start_index": start, "title": "Annex",
            "url": "https://lease.example/a"}
    item_id = "msg_0a4bc5e23769d65c00696d5e6bade4819d9c681da9ecb436c6"
    place = {"content_index": 0, "item_id": item_id, "output_index": 0}
    part = {"type": "output_text", "annotations": [note], "logprobs": [], "text": TEXT}
    item = {"id": item_id, "type": "message", "status": "completed", "content": [part], "role": "assistant"}

    def response(status, output, usage=None):
        return {"id": "resp_0a4bc5e23769d65c00696d5e657050819db65effaff8424729", "object": "response",
                "created_at": CREATED, "status": status, "background": False, "error": None,
                "incomplete_details": None, "instructions": None, "max_output_tokens": None,
                "model": "gpt-5.2-2025-12-11", "output": output, "parallel_tool_calls": True,
                "previous_response_id": None, "reasoning": {"effort": "none", "summary": None}, "store": True,
                "temperature": 1.0, "text": {"format": {"type": "text"}, "verbosity": "medium"}, "tool_choice": "auto",
                "tools": [], "top_p": 0.98, "truncation": "disabled", "usage": usage, "user": None, "metadata": {}}

    usage = {"input_tokens": 40, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 232,
             "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 272}
    empty = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
    frames = [
        {"type": "response.created", "response": response("in_progress", [])},
        {"type": "response.in_progress", "response": response("in_progress", [])},
        {"type": "response.output_item.added", "item": {**item, "status": "in_progress", "content": []}, "output_index": 0},
        {"type": "response.content_part.added", **place, "part": empty},
    ]
    frames += [{"type": "response.output_text.delta", **place, "delta": piece, "logprobs": [], "obfuscation": "CVQ5"}
               for piece in cuts()]
    frames += [
        {"type": "response.output_text.annotation.added", "annotation": note, "annotation_index": 0, **place},
        {"type": "response.output_text.done", **place, "logprobs": [], "text": TEXT},
        {"type": "response.content_part.done", **place, "part": part},
        {"type": "response.output_item.done", "item": item, "output_index": 0},
        {"type": "response.completed", "response": response("completed", [item], usage)},
    ]
    frames = [{**frame, "sequence_number": number} for number, frame in enumerate(frames)]
    write("openai-responses/lease.sse", sse(frames, named=True, done=False))
    write("openai-responses/lease.json", json.dumps(response("completed", [item], usage), indent=2) + "\n")


def anthropic():
    usage = {"input_tokens": 672, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {"model": "claude-haiku-4-5-20251001", "id": "msg_011CeCGmnUdBeAXErTKPb4sn", "type": "message",
               "role": "assistant", "content": [], "stop_reason": None, "stop_sequence": None,
               "usage": {**usage, "output_tokens": 1}}
    cited = {"type": "char_location", "cited_text": "Late rent bears interest at four per cent a year.",
             "document_index": 0, "document_title": "Clause 3", "start_char_index": 48, "end_char_index": 98}
    # Three blocks; the borders lie in the middle of a sentence and between two lines, as with citations switched on.
    a, b = TEXT.index(" and the landlord may"), TEXT.index("\n\nIn the landlord's")
    pieces, blocks, at = cuts(), [[], [], []], 0
    for piece in pieces:
        for border in (a, b):
            if at < border < at + len(piece):
                blocks[0 if border == a else 1].append(piece[: border - at])
                piece, at = piece[border - at :], border
        blocks[(at >= a) + (at >= b)].append(piece)
        at += len(piece)
    frames = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        delta = {"type": "content_block_delta", "index": index}
        frames.append({"type": "content_block_start", "index": index,
                       "content_block": {"citations": [], "type": "text", "text": ""}})
        if index == 0:
            frames += [{"type": "ping"}, {**delta, "delta": {"type": "citations_delta", "citation": cited}}]
        frames += [{**delta, "delta": {"type": "text_delta", "text": piece}} for piece in block]
        frames.append({"type": "content_block_stop", "index": index})
    end = {"stop_reason": "end_turn", "stop_sequence": None}
    frames += [{"type": "message_delta", "delta": end, "usage": {**usage, "output_tokens": 232}}, {"type": "message_stop"}]
    numbers = iter(range(len(frames)))

    def padded(frame):
        return json.dumps(frame) if frame["type"] == "ping" else compact(frame)[:-1] + " " * (next(numbers) % 9) + "}"

    write("anthropic/lease.sse", sse(frames, named=True, write_json=padded, done=False))
    texts = ["".join(block) for block in blocks]
    content = [{"type": "text", "text": text} for text in texts]
    content[0]["citations"] = [cited]
    usage["output_tokens"] = 232
    write("anthropic/lease.json", compact({**message, "content": content, **end, "usage": usage}))


def gemini():
    start = TEXT.index(ANNEX)
    grounding = {"groundingChunks": [{"retrievedContext": {"uri": "https://lease.example/a", "title": "Annex"}}],
                 "groundingSupports": [{"segment": {"startIndex": start, "endIndex": start + len(ANNEX), "text": ANNEX},
                                        "groundingChunkIndices": [0]}]}

    def body(text, **more):
        return {"candidates": [{"content": {"parts": [{"text": text}], "role": "model"}, **more, "index": 0}],
                "usageMetadata": {"promptTokenCount": 40, "candidatesTokenCount": 232, "totalTokenCount": 272},
                "modelVersion": "gemini-2.5-pro", "responseId": "beHBaJfEMIi-qtsP3769-Q8"}

    *pieces, last = cuts((31, 58, 12, 90))
    frames = [body(piece) for piece in pieces] + [body(last, finishReason="STOP", groundingMetadata=grounding)]
    write("gemini/lease.sse", sse(frames, write_json=spaced, end="\r\n", done=False))
    write("gemini/lease.array.json", "[" + "\n,\r\n".join(json.dumps(frame, indent=2) for frame in frames) + "\n]\n")
    write("gemini/lease.json", json.dumps(body(TEXT, finishReason="STOP", groundingMetadata=grounding), indent=2) + "\n")


def cohere():
    def frame(kind, message, **more):
        return {"type": kind, **more, "delta": {"message": message}}

    start = TEXT.index(ANNEX)
    source = {"type": "document", "id": "doc:0", "document": {"id": "doc:0", "text": "See [9].", "title": "Annex"}}
    citation = {"start": start, "end": start + len(ANNEX), "text": ANNEX, "sources": [source], "type": "TEXT_CONTENT",
                "content_index": 0}
    usage = {"billed_units": {"input_tokens": 40, "output_tokens": 232}, "tokens": {"input_tokens": 40, "output_tokens": 232}}
    frames = [{"id": "dd27c8d3-34cf-419f-8d3a-0d1247feafc3", **frame("message-start", {
                  "role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []})},
              frame("content-start", {"content": {"type": "text", "text": ""}}, index=0)]
    told = 0
    for piece in cuts():
        frames.append(frame("content-delta", {"content": {"text": piece}}, index=0))
        if told < citation["end"] <= told + len(piece):
            frames.append(frame("citation-start", {"citations": citation}, index=0))
            frames.append({"type": "citation-end", "index": 0})
        told += len(piece)
    frames += [{"type": "content-end", "index": 0},
               {"type": "message-end", "delta": {"finish_reason": "COMPLETE", "usage": usage}}]
    write("cohere-v2/lease.sse", sse(frames, named=True))
    write("cohere-v2/lease.json", compact({
        "id": "dd27c8d3-34cf-419f-8d3a-0d1247feafc3", "finish_reason": "COMPLETE", "usage": usage,
        "message": {"role": "assistant", "content": [{"type": "text", "text": TEXT}], "citations": [citation]}}))


def ollama():
    counts = {"total_duration": 1897385625, "load_duration": 1631208, "prompt_eval_count": 40,
              "prompt_eval_duration": 313560000, "eval_count": 232, "eval_duration": 1577990000}

    def line(name, text, **more):
        said = {"message": {"role": "assistant", "content": text}} if name == "lease" else {"response": text}
        return {"model": "llama3", "created_at": "2026-11-30T18:11:45.294874Z", **said, **more}

    for name, more in (("lease", {}), ("lease-generate", {"context": [105, 2364, 107]})):
        lines = [line(name, piece, done=False) for piece in cuts()]
        lines.append(line(name, "", done_reason="stop", done=True, **more, **counts))
        write(f"ollama/{name}.ndjson", "".join(compact(each) + "\n" for each in lines))
        write(f"ollama/{name}.json", compact(line(name, TEXT, done_reason="stop", done=True, **more, **counts)))


def ai_sdk_ui():
    frames = [{"type": "start"}, {"type": "start-step"}, {"type": "text-start", "id": "txt-0"}]
    frames += [{"type": "text-delta", "id": "txt-0", "delta": piece} for piece in cuts()]
    frames += [{"type": "text-end", "id": "txt-0"}, {"type": "finish-step"}, {"type": "finish", "finishReason": "stop"}]
    write("ai-sdk-ui/lease.sse", sse(frames))


for make in (openai_chat, mistral, openai_completions, openai_responses, anthropic, gemini, cohere, ollama, ai_sdk_ui):
    make()
