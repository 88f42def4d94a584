"""What the checks ask: questions of every command, and the exit code of those that may say no."""
from program import FILES, MODELS, MY_GPU, STEPS

STEP = ["analyze", "-g", "H100", "-b", "32"]
TABLE = ["analyze", "-g", "H100,T4", "-b", "1,8", "-m", "gpt2,llama-3.1-8b", "-c", "512"]
MATMUL = ["analyze", "-w", "matmul", "--m", "1024", "--k", "4096", "--n", "11008"]
ATTENTION = ["analyze", "-w", "attention", "--heads", "32", "--kv-heads", "8", "--head-dim", "128",
             "--seq-q", "512", "--seq-k", "2048"]
BARE = ["analyze", "--params", "7e9", "--kv-heads", "8", "--head-dim", "128", "-b", "32"]
EXPERTS = ["analyze", "-g", "H100", "-m", "mixtral-8x7b", "-b", "3"]
SHARDED = ["analyze", "-g", "H100", "-m", "llama-3-70b", "--tp", "8", "-b", "32"]
SPREAD = EXPERTS + ["--tp", "2", "--dp", "2", "--ep", "4", "--link-latency", "2us"]
QUESTIONS = [
    ["analyze"], STEP, TABLE, MATMUL, ATTENTION, ATTENTION + ["--causal"], BARE,
    BARE + ["--layers", "32"],
    STEP + ["--price", "2.49", "--peak", "bf16=989TFLOP/s", "--memory", "40GB"],
    STEP + ["--weight-dtype", "fp8", "--act-dtype", "fp8", "--kv-dtype", "fp8"],
    ["analyze", "-g", "L4", "-w", "prefill", "-c", "4096"],
    ["analyze", "-g", "L4", "-w", "prefill", "-c", "4096", "--no-causal"],
    ["analyze", "-g", "L4", "-m", "gemma-2-2b", "-c", "8192"],
    ["analyze", "-g", "L4", "-m", "gemma-2-2b", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "L4", "-m", "mistral-7b-v0.1", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "RTX-4090", "--weight-dtype", "q4-k"],
    ["analyze", "-g", "L4", "-m", "qwen2.5-7b-instruct-awq", "-b", "4"],
    ["analyze", "-g", MY_GPU, "-m", "gpt2", "-c", "128"],
    ["analyze", "--spec", "textbook"], ["analyze", "--spec", str(FILES / "spec.json")],
    EXPERTS, EXPERTS + ["--experts", "fewest"], EXPERTS + ["--experts", "5"],
    ["analyze", "-g", "H100", "-m", "mixtral-8x7b,llama-3.1-8b", "-b", "1,4"],
    ["analyze", "-g", "H100", "-m", "deepseek-v3", "-b", "32"],
    ["analyze", "-g", "H100", "-m", "deepseek-v2", "-w", "prefill", "-c", "4096", "-b", "2"],
    ["analyze", "-g", "H100", "-m", "gpt-oss-20b", "-c", "8192"],
    ["analyze", "-g", "H100", "-m", "gpt-oss-20b", "-w", "prefill", "-c", "8192"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-c", "20000"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-w", "prefill", "-c", "20000"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "-w", "prefill", "-c", "20000", "--no-causal"],
    ["analyze", "-g", "L4", "-m", "gemma-3n-e4b", "-b", "2"],
    ["analyze", "-g", "L4", "-m", "gemma-3n-e4b", "-w", "prefill"],
    ["analyze", "-g", "L4", "-m", "mamba-2.8b", "-b", "4"],
    ["analyze", "-g", "L4", "-m", "mamba-2.8b", "-w", "prefill"],
    ["analyze", "-g", "H100", "-m", "qwen3-next-80b-a3b,minimax-m1,jamba-1.5-large", "-b", "4"],
    ["analyze", "-g", "H100", "-m", "qwen3-next-80b-a3b", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "H100", "-m", "minimax-m1", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "H100", "-m", "nemotron-3-nano-30b-a3b", "-w", "prefill", "-c", "1000"],
    ["analyze", "-g", "L4", "-m", f"{MODELS / 'tiny.gguf'},{MODELS / 'sharded'}", "-c", "64"],
    SHARDED, SHARDED + ["--link-latency", "2us"],
    ["analyze", "-g", "L4", "-m", "llama-3-70b", "--tp", "8", "-w", "prefill"],
    ["analyze", "-g", "H100", "-m", "llama-3-70b", "--tp", "2", "--pp", "3", "-b", "7"],
    ["analyze", "-g", "L4", "--tp", "8", "--dp", "2", "--pp", "2", "-w", "prefill", "-b", "4"],
    ["analyze", "-g", MY_GPU, "--tp", "2", "--link", "50GB/s", "-b", "3"],
    ["analyze", "-g", "H100,L4", "-m", "llama-3.1-8b,mixtral-8x7b", "--tp", "4", "-b", "1,8"],
    SPREAD, SPREAD + ["--experts", "fewest"],
    EXPERTS + ["--tp", "4", "--ep", "2", "--pp", "2", "--link-latency", "2us"],
    ["analyze", "-g", "H100", "-m", "deepseek-v3", "--ep", "8", "-b", "64"],
    ["analyze", "-g", "H100", "-m", "deepseek-v3", "--tp", "4", "--pp", "4", "-w", "prefill"],
    ["analyze", "-g", "H100", "-m", "llama-4-scout", "--tp", "4", "--ep", "4", "-b", "8"],
    ["analyze", "-g", "H100", "-m", "qwen3-next-80b-a3b", "--tp", "2", "-b", "8"],
    ["analyze", "-g", "L4", "-m", "mamba-2.8b", "--tp", "2"],
    ["analyze", "-g", "H100", "-m", "jamba-1.5-large,minimax-m1", "--tp", "8"],
    ["analyze", "-g", "H100", "-m", "nemotron-h-56b", "--tp", "8", "-w", "prefill", "-c", "500"],
    ["analyze", "-g", "H100", "-m", "gemma-3n-e4b", "--tp", "2"],
    ["analyze", "-g", "H100", "-w", "prefill", "-c", "4096", "--cached", "1024", "-b", "2"],
    ["analyze", "-g", "H100", "-w", "mixed", "-b", "8", "--chunk", "1024", "--position", "2048"],
    ["analyze", "-g", "H100", "-m", "gpt-oss-20b", "--tp", "2", "-w", "mixed", "-b", "8"],
    ["analyze", "-g", "H100", "-w", "verify", "-b", "4", "--drafts", "7"],
    ["analyze", "-g", "H100", "--contexts", "512x8,4096x2"],
    ["analyze", "-g", "H100", "-w", "prefill", "--contexts", "512x2,4096", "--cached", "100"],
    ["analyze", "-g", "H100", "-m", "gemma-2-2b", "--contexts", "512x8,6000x2", "-w", "verify",
     "--drafts", "3", "--tp", "2"],
    ["analyze", "--spec", str(STEPS)],
]
LISTS = [["list", "devices"], ["list", "models"], ["list", "formats"], ["list", "rules"]]
SHOWS = [["show", "device", "H100"], ["show", "device", MY_GPU],
         ["show", "model", "llama-3.1-8b"], ["show", "model", "gemma-2-2b"],
         ["show", "model", str(FILES / "llama/config.json")]] + [
             ["show", "model", name] for name in (
                 "mixtral-8x7b", "deepseek-v3", "llama-4-scout", "gemma-3n-e2b", "mamba-2.8b",
                 "qwen3-next-80b-a3b", "minimax-m1", "jamba-1.5-large", "nemotron-h-56b",
                 "granite-4.0-h-small", "gpt-oss-20b", "arctic-480b", "falcon-40b",
                 *(str(MODELS / file) for file in ("sharded", "modelopt", "tiny.gguf",
                                                   "nested.json", "latent.json")))]

FIT = ["fit", "-m", "llama-3-70b"]
SERVE = ["serve", "-m", "llama-3.1-8b"]
MOE_SERVE = ["serve", "-m", "mixtral-8x7b", "--tp", "2", "--dp", "2", "--ep", "4"]
BOUND = ["solve", "batch", "--bound", "compute", "-m", "llama-3-70b"]
# Each with its exit code.
FITS = [
    (["fit"], 0), (FIT, 1), (FIT + ["--tp", "2"], 0), (FIT + ["--tp", "2", "--pp", "2"], 0),
    (FIT + ["--tp", "2", "--dp", "2", "-b", "9"], 0),
    (["fit", "-b", "220"], 0),  # uncertain
    (["fit", "-b", "220", "--memory-overhead", "1GB"], 0),
    (["fit", "-g", "L4", "-b", "4", "-c", "16K"], 1),
    (["fit", "-g", "L4", "-b", "4", "-c", "16K", "--gpu-memory-utilization", "0.95"], 1),
    (["fit", "-g", MY_GPU, "--memory", "40GB", "--block-size", "32"], 0),
    (["fit", "-g", "L4", "-m", "mamba-2.8b"], 0),  # of any length
    (["fit", "-m", "jamba-1.5-large", "--tp", "8"], 1),
    (["fit", "-m", "gemma-2-2b", "-c", "8192", "-b", "100"], 0),
    (["fit", "-m", "mixtral-8x7b", "--tp", "2", "--dp", "2", "--ep", "4", "-b", "10"], 0),
    (["fit", "-m", "deepseek-v3", "--tp", "8", "--memory", "10GB"], 1),
    (["fit", "-b", "10000000", "-c", "100000"], 1),  # on no number of devices
]
SERVES = [
    (SERVE, 0), (SERVE + ["--concurrency", "64"], 0), (SERVE + ["--concurrency", "1000"], 0),
    (SERVE + ["--request-rate", "10"], 0), (SERVE + ["--request-rate", "1000"], 1),
    (SERVE + ["--tpot-limit", "10ms"], 0), (SERVE + ["--tpot-limit", "1us"], 1),
    (SERVE + ["--tpot-limit", "10ms", "--request-rate", "20"], 0),
    (SERVE + ["--ttft-limit", "500ms"], 0), (SERVE + ["--ttft-limit", "1ms"], 1),
    (SERVE + ["--input-len", "20000", "--output-len", "77", "--concurrency", "5"], 0),
    (SERVE + ["--input-len", "300", "--max-num-batched-tokens", "1024", "--price", "2.49"], 0),
    (["serve", "-m", "llama-3-70b"], 1),
    (["serve", "-m", "llama-3-70b", "--tp", "4", "--pp", "2", "--concurrency", "33"], 0),
    (["serve", "-m", "llama-3-70b", "--tp", "2", "--dp", "2", "--concurrency", "33"], 0),
    (MOE_SERVE, 0), (MOE_SERVE + ["--concurrency", "7", "--link-latency", "2us"], 0),
    (["serve", "-g", MY_GPU, "--concurrency", "4"], 0),
    (["serve", "-g", MY_GPU, "--tpot-limit", "100ms", "--price", "1"], 0),
    (["serve", "-g", "L4", "-m", "mamba-2.8b", "--concurrency", "8"], 0),
]
SOLVES = [
    (BOUND, 1), (BOUND + ["-c", "512"], 0),
    (BOUND + ["-c", "1024", "--peak", "bf16=989TFLOP/s"], 0),
    (["solve", "batch", "--bound", "compute", "-m", "mamba-2.8b"], 1),
    (["solve", "context", "--bound", "compute", "-b", "1000"], 0),
    (["solve", "context", "--bound", "compute", "-b", "2"], 1),
    (["solve", "batch"], 0), (["solve", "batch", "--tpot-limit", "10ms"], 0),
    (["solve", "batch", "--tpot-limit", "1us"], 1),
    (["solve", "batch", "--min-throughput", "5000"], 0),
    (["solve", "batch", "--min-throughput", "5000", "--tpot-limit", "5ms"], 1),
    (["solve", "batch", "--max-cost", "0.5", "--price", "2"], 0),
    (["solve", "batch", "--max-cost", "0.01"], 1),
    (["solve", "batch", "-g", MY_GPU, "--tpot-limit", "1s"], 0),
    (["solve", "batch", "-m", "mixtral-8x7b", "--tp", "2", "--dp", "2", "-c", "3000"], 0),
    (["solve", "context"], 0), (["solve", "context", "-b", "8", "--tpot-limit", "10ms"], 0),
    (["solve", "context", "--tpot-limit", "1us"], 1), (["solve", "context", "-m", "mamba-2.8b"], 0),
    (["solve", "context", "--ttft-limit", "100ms"], 0),
    (["solve", "devices"], 0), (["solve", "devices", "-m", "llama-3-70b"], 0),
    (["solve", "devices", "-m", "llama-3-70b", "--tpot-limit", "10ms"], 0),
    (["solve", "devices", "-m", "llama-3-70b", "--tpot-limit", "1ms", "--ttft-limit", "100ms"], 1),
    (["solve", "devices", "-m", "llama-3-70b", "-b", "100000000"], 1),
    (["solve", "devices", "-m", "mixtral-8x7b", "--tpot-limit", "3ms"], 0),
    (["solve", "concurrency"], 0), (["solve", "concurrency", "--tpot-limit", "10ms"], 0),
    (["solve", "concurrency", "--min-throughput", "1000"], 0),
    (["solve", "concurrency", "--ttft-limit", "1ms"], 1),
    (["solve", "concurrency", "--max-cost", "0.2", "--input-len", "100"], 0),
    (["solve", "concurrency", "-m", "llama-3-70b", "--tp", "4", "--tpot-limit", "20ms"], 0),
]
RATE = ["--request-rate", "2", "--input-len", "2048", "--output-len", "128"]
SOME_GPUS = f"H100,L4,MI300X,RTX-4090,T4,{MY_GPU}"
COMPARES = [
    (["compare", "-b", "32"], 0), (["compare", "-g", SOME_GPUS], 0),
    *((["compare", "-g", SOME_GPUS, "-b", "8", "--by", by], 0)
      for by in ("time", "throughput", "cost", "energy", "fit")),
    (["compare", "-g", SOME_GPUS, "-m", "llama-3-70b", "--tp", "4", "--price", "2"], 0),
    (["compare", "-g", "L4,T4", "-m", "llama-3-70b"], 1),
    (["compare", "-g", "H100,L4", "-w", "prefill", "--cached", "512", "--no-causal"], 0),
    (["compare", "-g", "H100,L4", "-w", "mixed", "--contexts", "512x8,4096x2"], 0),
    (["compare", "-g", "H100,L4", "-m", "mixtral-8x7b", "--tp", "4", "--experts", "fewest"], 0),
    (["compare", "-g", "H100,L4", "-m", "gpt2", "-c", "100", "-w", "verify", "--drafts", "2"], 0),
    (["compare", *RATE], 0),
    *((["compare", "-g", SOME_GPUS, "--concurrency", "4", "--by", by], 0)
      for by in ("time", "throughput", "cost", "energy", "fit")),
    (["compare", "-g", SOME_GPUS, "-m", "mixtral-8x7b", "--tp", "4", "--tpot-limit", "20ms"], 0),
    (["compare", "-g", "L4,T4", "--input-len", "100000", "--concurrency", "9"], 1),
]
SWEEPS = [
    (["sweep", "-g", f"L4,{MY_GPU}", "-m", "gpt2,llama-3.1-8b", "--tp", "1,2,3", "-c", "512"], 0),
    (["sweep", "-g", "H100", "-b", "1..64x2", "-c", "512,2048", "--kv-dtype", "bf16,fp8"], 0),
    (["sweep", "-g", "L4", "-w", "prefill", "-c", "512,1024", "--cached", "100"], 0),
    (["sweep", "-g", "L4", "-w", "mixed", "--contexts", "512x8,4096x2", "--chunk", "256"], 0),
    (["sweep", "-g", "L4", "-w", "verify", "--weight-dtype", "bf16,q4-k", "--drafts", "2"], 0),
    (["sweep", "-g", "H100", "-m", "mixtral-8x7b", "--tp", "1,2", "--dp", "1,2", "--ep", "1,2"], 0),
]
PLOT_ATTENTION = ["plot", *ATTENTION[1:]]
PLOT_BARE = ["plot", "--params", "7e9", "--kv-heads", "8", "--head-dim", "128"]
ROOFLINES = [
    ["plot"], ["plot", "--spec", "textbook"], ["plot", "--spec", "textbook", "--mark", "points"],
    ["plot", "--spec", "textbook", "-g", "A100", "--peak", "fp16=312TFLOP/s"],
    ["plot", "--spec", str(FILES / "spec.json")], ["plot", "--spec", str(STEPS)],
    ["plot", "-g", "H100", "-b", "1,8,32,128"],
    ["plot", "-g", "A100", "-b", "1,8", "--mark", "lines"],
    ["plot", "-g", "H100", "-b", "8,32", "--ceilings", "all"],
    ["plot", "-g", "H100,RTX-4090", "-b", "8", "--ceilings", "fp8,int8"],
    ["plot", "-g", "L4,A100", "-b", "8", "--ceilings", "fp8"],  # one device has none
    ["plot", "-g", "RTX-4090,L4", "-b", "8", "--accumulate", "fp16"],
    ["plot", "-g", "H100", "-b", "1,8,32", "--measured", "9.1ms,none,65TFLOP/s"],
    ["plot", "-g", "H100,L4", "-b", "32", "--measured", "7ms,90ms",  # faster than its roof
     "--measured", "gemm=85FLOP/byte@210TFLOP/s,copy=0.1@300GFLOP/s"],
    ["plot", "-g", "H100", "-b", "32", "--measured", "gemm=85FLOP/byte@210TFLOP/s"],
    ["plot", "-g", "L4,H100", "-b", "64", "--weight-dtype", "fp8", "--act-dtype", "fp8"],
    ["plot", "-g", "H100", "-b", "64", "--weight-dtype", "fp8", "--act-dtype", "fp8", "--kv-dtype",
     "fp8", "--bandwidth", "3TB/s"],
    ["plot", "-g", "H100,L4", "-m", "mixtral-8x7b,deepseek-v3", "-w", "prefill", "-b", "1,8"],
    ["plot", "-g", "H100", "-m", "llama-3-70b", "--tp", "8", "-b", "1,32", "--price", "2.49"],
    ["plot", "-g", f"L4,{MY_GPU}", "-m", "gpt2", "-b", "1,4"],
    ["plot", "-g", "A100,T4", *MATMUL[1:]], PLOT_ATTENTION + ["-b", "1,4"],
    PLOT_BARE + ["-b", "1,32"],
    ["plot", "-g", "H100", "--contexts", "512x8,4096x2"],
    ["plot", "-g", "H100", "-m", "mamba-2.8b,gemma-2-2b", "-c", "1..65536x16"],
]
OVER_BATCH, OVER_CONTEXT = ["plot", "--x", "batch", "-g"], ["plot", "--x", "context", "-g"]
CURVES = [
    OVER_BATCH + ["H100"], OVER_BATCH + ["H100,L4", "--y", "intensity", "-c", "512,2048"],
    OVER_BATCH + ["H100,L4", "--y", "throughput", "--tpot-limit", "30ms"],
    OVER_BATCH + ["H100", "--y", "tpot", "--tpot-limit", "10ms", "-m", "llama-3.1-8b,mixtral-8x7b"],
    OVER_BATCH + ["H100", "--tpot-limit", "6ms", "-b", "1,2,3..7+2"],
    OVER_BATCH + ["H100,L4", "--y", "cost"],
    ["plot", "-g", "H100,L4", "--y", "cost", "--price", "2.49", "--tpot-limit", "50ms"],
    OVER_BATCH + ["H100", "-m", "llama-3-70b", "--tp", "4", "--pp", "2", "--y", "cost"],
    OVER_BATCH + ["H100", "-m", "mixtral-8x7b", "--tp", "2", "--dp", "2", "--ep", "4"],
    OVER_BATCH + ["H100", "-m", "deepseek-v3", "--tp", "16", "--y", "throughput"],
    OVER_BATCH + [f"{MY_GPU},L4", "--y", "tpot"],  # the memory of one is not known
    OVER_BATCH + [MY_GPU, "-m", "gpt2", "--y", "tpot"],  # without a limit
    OVER_BATCH + ["L4", "-m", "llama-3-70b", "--y", "throughput", "--tpot-limit", "1us"],  # none
    OVER_BATCH + ["H100", "-w", "verify", "--drafts", "3", "--y", "throughput"],
    OVER_BATCH + ["H100", "-w", "mixed", "--chunk", "256", "--y", "throughput"],
    OVER_BATCH + ["H100", "-w", "prefill", "-c", "512", "--y", "intensity"],
    OVER_BATCH + ["L4", "-m", "mamba-2.8b", "--y", "throughput", "--tpot-limit", "50ms"],
    OVER_BATCH + ["H100", "--weight-dtype", "fp8", "--act-dtype", "fp8", "--y", "intensity"],
    PLOT_ATTENTION + ["-g", "H100,L4", "--x", "batch"], PLOT_BARE + ["-g", "A100", "--x", "batch"],
    PLOT_BARE + ["-g", "A100,T4", "--x", "context", "-b", "8"],
    OVER_CONTEXT + ["H100,L4", "--y", "intensity", "-b", "32"],
    OVER_CONTEXT + ["H100", "--y", "intensity", "-w", "prefill"],
    OVER_CONTEXT + ["H100", "--y", "throughput", "-b", "1,8", "-m", "llama-3.1-8b,gpt2"],
    OVER_CONTEXT + ["H100", "--y", "tpot", "-b", "8", "--tpot-limit", "10ms"],
    OVER_CONTEXT + ["H100,L4", "--y", "throughput", "-b", "8", "--tpot-limit", "10ms"],
    OVER_CONTEXT + ["L4", "--y", "cost", "-m", "mamba-2.8b", "--tpot-limit", "50ms"],  # any
    OVER_CONTEXT + ["L4", "--y", "tpot", "-m", "mamba-2.8b"],
    OVER_CONTEXT + ["H100", "--y", "tpot", "-m", "gemma-2-2b", "-b", "16"],
]
PLOTS = ROOFLINES + CURVES
ANSWERS = [arguments for arguments, _ in FITS + SERVES + SOLVES + COMPARES]
REFUSED = [
    ["fit", "-g", MY_GPU], ["serve", "-g", MY_GPU], ["solve", "batch", "-g", MY_GPU],
    ["solve", "devices", "-g", MY_GPU], ["solve", "batch", "-g", MY_GPU, "--max-cost", "1"],
    ["solve", "batch", "--ttft-limit", "1s"], ["solve"], ["solve", "gpus"],
    ["analyze", "-m", "llama-3-70b", "-g", "H100", "--tp", "7"],
    ["analyze", "-g", MY_GPU, "--tp", "2"], ["fit", "--tp", "3"],
    ["serve", "--concurrency", "4", "--request-rate", "2"], ["serve", "--tpot-limit", "10"],
    ["fit", "-g", "H100,L4"], ["fit", "--memory-overhead", "100"],
    ["compare", "--by", "colour"], ["compare", "-w", "matmul"], ["compare", "-b", "1,2"],
    ["compare", "-m", "llama-3.1-8b", "--tp", "3"], ["sweep", "-f", "json"], ["sweep", "-b", "0"],
    ["analyze", "-w", "prefill", "-c", "100", "--cached", "100"],
    ["analyze", "--contexts", "512x8", "-b", "2"], ["analyze", "--contexts", "512x0"],
    ["plot", "-g", "H100", "--ceilings", "fp4"],
    ["plot", "-g", "H100", "-b", "1,8", "--measured", "5ms"],
    ["plot", "-g", "H100", "--measured", "x=0@5TFLOP/s"],
    ["plot", "-g", "H100", "--measured", "0ms"],
    ["plot", "-g", "H100", "--mark", "dots"], ["plot", "-g", "H100", "--tpot-limit", "5ms"],
    ["plot", "-g", "all", "-b", "1..256x2"], ["plot", "--spec", "textbook", "--x", "batch"],
    OVER_BATCH + ["H100", "-b", "8"], OVER_BATCH + ["H100", "--y", "tpot", "-w", "prefill"],
    OVER_BATCH + ["H100", "--ceilings", "fp8"], OVER_BATCH + ["H100", "--measured", "5ms"],
    OVER_BATCH + [MY_GPU, "--y", "cost"], OVER_BATCH + ["H100", "--contexts", "512x8"],
    PLOT_ATTENTION + ["--x", "batch", "--y", "throughput"], ["plot", "-f", "png"],
    ["plot", "--x", "batch", *MATMUL[1:]], ["analyze", "-f", "svg"], ["fit", "-f", "html"],
]
