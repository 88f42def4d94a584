#!/bin/sh
# roofline: ignore[kv-too-small] short prompts
export CTX=4096
vllm serve org/m -tp 4 \
  --max-model-len "${CTX}" # roofline: ignore-file[unknown-key] a fork
cat <<'EOF'
# roofline: ignore[none]
EOF
