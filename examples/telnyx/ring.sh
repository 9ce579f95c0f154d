#!/usr/bin/env bash
# Posts a webhook as a TeXML application of Telnyx's does: a form, signed with Ed25519 over the time and the body.
# ring.sh PATH NAME=VALUE…   (values without characters that a form would escape, but for "+" and ":")
set -euo pipefail
path=$1; shift
body=$(IFS='&'; printf %s "$*"); body=${body//+/%2B}; body=${body//:/%3A}
stamp=$(date +%s)
message=$(mktemp); trap 'rm -f "$message"' EXIT
printf '%s|%s' "$stamp" "$body" > "$message"
signature=$(openssl pkeyutl -sign -rawin -inkey "$TELNYX_TRIAL" -in "$message" | openssl base64 -A)
curl -sS "$RECALLER$path" -H "telnyx-timestamp: $stamp" -H "telnyx-signature-ed25519: $signature" --data-raw "$body"; echo
