// Log-probabilities of targets over chunks of logits, and their gradient in place of the logits. One block a row.
// Reference: backend/cpu (logProbs, logProbsBackward).
#include "common.cuh"

// Logits are multiplied with `scale` (1 / temperature). logProb = logit[target] - log sum exp; correct = 1 where no logit is larger than the target's.
KERNEL void log_softmax(float* logSum, float* logProb, int* correct, const b16* logits, int stride, const int* targets,
                        int vocabulary, float scale) {
  const b16* from = logits + (size_t)blockIdx.x * stride;
  __shared__ float mosts[32], sums[32];
  float most = -INFINITY, sum = 0.f;
  const int pieces = vocabulary / 8;
  for (int at = threadIdx.x; at < pieces; at += blockDim.x) {
    float f[8];
    unpack8(((const uint4*)from)[at], f);
#pragma unroll
    for (int i = 0; i < 8; i++) f[i] *= scale;
    float best = most;
#pragma unroll
    for (int i = 0; i < 8; i++) best = fmaxf(best, f[i]);
    float add = 0.f;
#pragma unroll
    for (int i = 0; i < 8; i++) add += __expf(f[i] - best);
    sum = sum * __expf(most - best) + add;
    most = best;
  }
  for (int at = pieces * 8 + threadIdx.x; at < vocabulary; at += blockDim.x) {
    const float x = widen(from[at]) * scale, best = fmaxf(most, x);
    sum = sum * __expf(most - best) + __expf(x - best);
    most = best;
  }
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  const float warpMost = warpMax(most);
  sum = warpSum(most == -INFINITY ? 0.f : sum * __expf(most - warpMost));
  if (lane == 0) mosts[warp] = warpMost, sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  const float other = lane < warps ? mosts[lane] : -INFINITY;
  const float all = warpMax(other);
  const float total = warpSum(lane < warps && other != -INFINITY ? sums[lane] * __expf(other - all) : 0.f);
  if (lane != 0) return;
  const float whole = all + logf(total), at = widen(from[targets[blockIdx.x]]) * scale;
  logSum[blockIdx.x] = whole;
  logProb[blockIdx.x] = at - whole;
  correct[blockIdx.x] = at >= all ? 1 : 0;
}

// logits -> gradient * scale * ([v = target] - exp(scale * logit - logSum)), in place. What a row has
// behind the vocabulary becomes zero: a product reads it.
KERNEL void log_softmax_backward(b16* logits, int stride, const float* logSum, const float* gradient, const int* targets,
                                 int vocabulary, float scale) {
  b16* row = logits + (size_t)blockIdx.x * stride;
  const float whole = logSum[blockIdx.x], g = gradient[blockIdx.x] * scale;
  const int target = targets[blockIdx.x], pieces = vocabulary / 8;
  for (int at = threadIdx.x; at < pieces; at += blockDim.x) {
    float f[8];
    unpack8(((const uint4*)row)[at], f);
#pragma unroll
    for (int i = 0; i < 8; i++) f[i] = g * ((at * 8 + i == target ? 1.f : 0.f) - __expf(f[i] * scale - whole));
    ((uint4*)row)[at] = pack8(f);
  }
  for (int at = pieces * 8 + threadIdx.x; at < vocabulary; at += blockDim.x)
    row[at] = narrow(g * ((at == target ? 1.f : 0.f) - __expf(widen(row[at]) * scale - whole)));
  for (int at = vocabulary + threadIdx.x; at < stride; at += blockDim.x) row[at] = narrow(0.f);
}
