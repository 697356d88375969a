#!/usr/bin/env bash
# curl through the proxy: what comes out is, byte for byte, what `citesieve replay` makes of what the upstream sends,
# however it sends it; heads, cuts and errors pass.
#
# Needs CITESIEVE_BASE (the proxy), CITESIEVE_UNTOUCHED (its upstream), CITESIEVE_BIN and a folder of its own, CITESIEVE_WORK.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mkdir -p "$CITESIEVE_WORK"
failed=0
check() { "${@:2}" || { echo "curl: $1: FAILED"; failed=1; }; }

# get BASE NAME SCRIPT [OPTION…]: the answer to a request for this recording, in files NAME.head and NAME.body.
recording=
path=
get() {
  local script='{"recording": "'$recording'"'
  [[ $3 == '{}' ]] || script+=", ${3#\{}"
  [[ $3 == '{}' ]] && script+='}'
  curl -sN --max-time 20 -D "$CITESIEVE_WORK/$2.head" -o "$CITESIEVE_WORK/$2.body" -H "x-upstream: $script" "${@:4}" \
    --json @<(printf '{"model": "lease", "stream": true, "citesieve": {"sources": %s}}' "$(cat cases/lease.sources.json)") \
    "$1$path"
}

# The proxy says in its verdict where the sources came from, which replay cannot know.
plain() { sed -E 's/,"sources_from":"citesieve field"//' "$CITESIEVE_WORK/$1.body"; }
# same PROXIED OTHER: both bodies are the same.
same() { plain "$1" | cmp -s - "$CITESIEVE_WORK/$2.body"; }
# begins PROXIED WHOLE: the one body is a beginning of the other, and not empty.
begins() {
  local length
  length=$(stat -c %s "$CITESIEVE_WORK/$1.body")
  ((length)) && cmp -s -n "$length" "$CITESIEVE_WORK/$1.body" "$CITESIEVE_WORK/$2.body"
}
has() { grep -qiE "^$2"$'\r?$' "$CITESIEVE_WORK/$1.head"; }
lacks() { ! grep -qiE "^$2:" "$CITESIEVE_WORK/$1.head"; }
replay() { "$CITESIEVE_BIN" replay --sources cases/lease.sources.json --out - "$CITESIEVE_WORK/$1.body" > "$CITESIEVE_WORK/$2.body"; }

at() {
  recording=$1
  case $1 in
    openai-chat/*) path=/v1/chat/completions ;;
    openai-completions/*) path=/v1/completions ;;
    openai-responses/*) path=/v1/responses ;;
    anthropic/*) path=/v1/messages ;;
    cohere-v2/*) path=/v2/chat ;;
    ollama/lease-generate.*) path=/api/generate ;;
    # The AI SDK's own path in every tutorial is Ollama's too.
    ollama/* | ai-sdk-ui/*) path=/api/chat ;;
    gemini/lease.json) path=/v1beta/models/lease:generateContent ;;
    gemini/lease.array.json) path=/v1beta/models/lease:streamGenerateContent ;;
    gemini/*) path='/v1beta/models/lease:streamGenerateContent?alt=sse' ;;
    *) echo "$1 is of no known API" >&2; exit 1 ;;
  esac
}

count=0
for file in recordings/*/*.{sse,ndjson,json}; do
  at "${file#recordings/}"
  get "$CITESIEVE_UNTOUCHED" direct '{}'
  replay direct expected
  scripts=('{}' '{"chunk": 7, "encoding": "gzip"}')
  [[ $recording != *-chat/* ]] || scripts+=('{"encoding": "deflate", "chunk": 500}' '{"encoding": "br"}' '{"encoding": "zstd"}' \
    '{"chunk": 1, "length": true}' '{"trailers": {"x-checksum": "7"}}')
  for script in "${scripts[@]}"; do
    what="$recording $script"
    get "$CITESIEVE_BASE" proxied "$script"
    check "$what: the body" same proxied expected
    check "$what: its id" grep -qi '^x-citesieve-id: [0-9a-f]\{32\}' "$CITESIEVE_WORK/proxied.head"
    check "$what: no length" lacks proxied content-length
    check "$what: no coding" lacks proxied content-encoding
    count=$((count + 1))
  done
done
[[ $failed == 0 ]] && echo "curl: $count answers byte for byte as by replay: ok"

for recording in openai-chat/lease.sse anthropic/lease.sse gemini/lease.sse ollama/lease.ndjson; do
  at "$recording"
  get "$CITESIEVE_UNTOUCHED" direct '{}'
  replay direct expected
  # An error in the middle.
  get "$CITESIEVE_UNTOUCHED" broken '{"error_at": 2500}'
  get "$CITESIEVE_BASE" proxied '{"error_at": 2500}'
  check "$recording: the error reaches the client" grep -q Overloaded "$CITESIEVE_WORK/proxied.body"
  replay broken expected-broken
  check "$recording: what stands before the error" same proxied expected-broken
  # A cut is a cut, and all that came before it is there, what was held too.
  for cut in 1700 2500 4100; do
    get "$CITESIEVE_UNTOUCHED" broken "{\"cut\": $cut}" || true
    replay broken expected-broken
    code=0
    get "$CITESIEVE_BASE" proxied "{\"cut\": $cut}" || code=$?
    check "$recording: a cut is passed on as one (curl's code $code)" test "$code" = 18
    check "$recording: what stands before the cut at $cut" same proxied expected-broken
  done
  # Errors before the stream are the upstream's.
  for status in 400 401 404 429 500 503; do
    get "$CITESIEVE_UNTOUCHED" direct "{\"status\": $status, \"headers\": {\"retry-after\": \"7\"}}"
    get "$CITESIEVE_BASE" proxied "{\"status\": $status, \"headers\": {\"retry-after\": \"7\"}}"
    check "$recording: $status" same proxied direct
    check "$recording: $status: its line" grep -q "^HTTP/1.1 $status" "$CITESIEVE_WORK/proxied.head"
    check "$recording: $status: its fields" has proxied "retry-after: 7"
  done
  # HTTP/2, where curl has it.
  if curl --version | grep -q HTTP2; then
    get "$CITESIEVE_BASE" proxied '{}' --http2-prior-knowledge
    check "$recording: over HTTP/2" same proxied expected
    check "$recording: it was HTTP/2" grep -q '^HTTP/2 200' "$CITESIEVE_WORK/proxied.head"
  fi
done
# What has come is passed on, though nothing more comes.
for recording in openai-chat/lease.sse ollama/lease.ndjson; do
  at "$recording"
  get "$CITESIEVE_UNTOUCHED" direct '{}'
  replay direct expected
  code=0
  get "$CITESIEVE_BASE" proxied '{"stall": 2500}' --max-time 2 || code=$?
  check "$recording: a stall is no end (curl's code $code)" test "$code" = 28
  check "$recording: what stands before the stall" begins proxied expected
done
[[ $failed == 0 ]] && echo "curl: error frames, cuts, stalls, statuses, HTTP/2: ok"

# Without sources nothing changes at all.
at openai-chat/lease.sse
curl -s "$CITESIEVE_UNTOUCHED$path" --json '{"model": "lease", "stream": true}' -o "$CITESIEVE_WORK/direct.body"
curl -s "$CITESIEVE_BASE$path" --json '{"model": "lease", "stream": true}' -o "$CITESIEVE_WORK/proxied.body"
check "no sources: the body" same proxied direct
curl -s "$CITESIEVE_UNTOUCHED/_upstream/last" | grep -q '"path":"/v1/chat/completions"' || check "the request's path" false
[[ $failed == 0 ]] && echo "curl: nothing changes without sources: ok"
exit "$failed"
