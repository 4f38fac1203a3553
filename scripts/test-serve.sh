#!/usr/bin/env bash
# test-serve.sh BINARY: sends `backdrop serve` requests that its OpenAPI description allows, and others (schemathesis). No answer may be an
# internal error. EXAMPLES sets the number of requests for each operation.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
backdrop=$(realpath "$1")
work=$(mktemp -d)
trap 'kill "${service:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
mkfifo "$work/address"
TMPDIR=$work "$backdrop" serve --port 0 --rembg --deadline 20 --jobs 10000 --job-life 1 >"$work/address" 2>"$work/log" &
service=$!
read -r address <"$work/address"
# The events of a job end with the job, and jobs here fail at once. The service may refuse a request while it is busy.
# schemathesis writes its notes to the current folder.
cd "$work"
PYTHON_PACKAGES=python-serve "$root/scripts/test-python.sh" -m schemathesis.cli run "$address/openapi.json" --url "$address" \
  --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
  --max-examples "${EXAMPLES:-50}" --request-timeout 60 --seed 1 --no-color
kill "$service"
wait "$service"
if grep -q '"status":500' "$work/log"; then
  grep '"status":500' "$work/log"
  exit 1
fi
echo "ok   $(grep -c '"event":"request"' "$work/log") requests, and none was answered with 500"
