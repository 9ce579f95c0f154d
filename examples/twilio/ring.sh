#!/usr/bin/env bash
# Posts a webhook as Twilio does: a form, signed with the auth token.
# ring.sh PATH NAME=VALUE…   (values without characters that a form would escape, but for "+")
set -euo pipefail
path=$1; shift
signed=$RECALLER_PUBLIC_URL$path
for field in $(printf '%s\n' "$@" | LC_ALL=C sort); do signed+=${field/=/}; done
signature=$(printf %s "$signed" | openssl dgst -sha1 -hmac "$TWILIO_AUTH_TOKEN" -binary | openssl base64)
fields=(); for field in "$@"; do fields+=(--data-urlencode "$field"); done
curl -sS "$RECALLER$path" -H "X-Twilio-Signature: $signature" "${fields[@]}"; echo
