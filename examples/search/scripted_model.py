#!/usr/bin/env python3
"""A language model by script: an OpenAI-compatible server on this machine that says what this file says. It shows what becomes of good, broken,
wrong and dishonest proposals, without a model and without a bill.

    python3 scripted_model.py 8080 &

In .kgate/policy.toml:

    [search]
    proposer = "http"
    url      = "http://127.0.0.1:8080/v1"
    model    = "script"
    iterations = 12
    seconds = 600
    gpu_seconds = 300
    tokens = 1000000
    cost_usd = 1
    patience = 12

    kgate search tiled_gemm

Python's standard library is enough.
"""
import http.server
import json
import sys

SOURCE = "kernels/tiled_gemm/tiled_gemm.cu"


def tuned(direction, hypothesis, gain, **values):
    return {"direction": direction,
            "parts": [{"name": direction, "hypothesis": hypothesis, "expected_gain": gain, "parameters": {name: str(value) for name, value in values.items()}}]}


def edited(direction, hypothesis, gain, *edits, risk=""):
    return {"direction": direction,
            "parts": [{"name": direction, "hypothesis": hypothesis, "expected_gain": gain, "risk": risk,
                       "edits": [{"file": SOURCE, "find": find, "replace": replace} for find, replace in edits]}]}


LARGER_TILES = tuned("register tiles", "Sixteen sums a thread use each value that is read from shared memory four times.", 0.5, BM=64, BN=64, BK=16, TM=4, TN=4)
UNROLLED = "unrolled steps"
PADDED = "padded tile"
REMEMBER = "remember the result"
STEP_LOOP = "    for (int step = 0; step < BK; ++step) {\n      float left[TM];"
SUMS = "  float sums[TM][TN];\n"
STORE = "      if (row < m && column < n) c[row * n + column] = sums[i][j];\n    }\n  }\n}"

# What it proposes, one after the other.
SCRIPT = [
    LARGER_TILES,
    # A name that is not there: does not compile, and is repaired.
    edited(PADDED, "A padded row of b's tile keeps threads of a warp off one bank.", 0.03,
           ("__shared__ float b_tile[BK][BN];", "__shared__ float b_tile[BK][BN + PADDING];")),
    # Wrong where k is no multiple of BK.
    edited("fewer steps", "The last, partial step costs as much as a whole one.", 0.02,
           ("first < k; first += BK", "first + BK <= k; first += BK"), risk="none"),
    tuned("register tiles", "More rows a thread, and a deeper tile.", 0.1, BM=128, BN=64, BK=16, TM=8, TN=4),
    # Dishonest: skips the work when the inputs look like those of the launch before.
    edited(REMEMBER, "The same inputs have the same product.", 0.9,
           ("__global__ void __launch_bounds__(THREADS)", "__device__ float seen;\n\n__global__ void __launch_bounds__(THREADS)"),
           (SUMS, "  if (seen == a[0]) return;\n" + SUMS),
           (STORE, STORE[:-1] + "  if (thread == 0 && blockIdx.x == gridDim.x - 1 && blockIdx.y == gridDim.y - 1) seen = a[0];\n}")),
    # The same kind of idea once more; it forgets to store what it would remember, so nothing is skipped.
    edited(REMEMBER, "Perhaps with the last element.", 0.9,
           ("__global__ void __launch_bounds__(THREADS)", "__device__ float last;\n\n__global__ void __launch_bounds__(THREADS)"),
           (SUMS, "  if (last == a[m * k - 1]) return;\n" + SUMS)),
    # The first proposal once more.
    dict(LARGER_TILES, differs="nothing"),
    edited(UNROLLED, "An unrolled loop needs no counter and lets loads run ahead.", 0.03, (STEP_LOOP, "#pragma unroll\n" + STEP_LOOP)),
    tuned("register tiles", "A wider tile a block.", 0.05, BM=128, BN=128, BK=16, TM=8, TN=8),
]
REPAIRS = {PADDED: [("__shared__ float b_tile[BK][BN];", "__shared__ float b_tile[BK][BN + 1];")]}


class Model(http.server.BaseHTTPRequestHandler):
    proposed = 0

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        task = json.loads(request["messages"][-1]["content"])
        answer = self.repair(task["failed"]) if "failed" in task else self.propose()
        text = json.dumps(answer)
        usage = {"prompt_tokens": sum(len(one["content"]) for one in request["messages"]) // 4, "completion_tokens": len(text) // 4}
        body = json.dumps({"id": "script", "object": "chat.completion", "model": request["model"], "usage": usage,
                           "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    @staticmethod
    def repair(failed):
        edits = REPAIRS.get(failed["direction"])
        if edits is None:
            return {"exhausted": "the idea itself is the mistake"}
        return edited(failed["direction"], failed["parts"][0]["hypothesis"] + " Now with a number.", 0.03, *edits)

    @staticmethod
    def propose():
        if Model.proposed == len(SCRIPT):
            return {"exhausted": "the script has no more lines"}
        Model.proposed += 1
        return SCRIPT[Model.proposed - 1]

    def log_message(self, *words):
        pass


if __name__ == "__main__":
    http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8080), Model).serve_forever()
