// AdamW (arXiv 1711.05101) on float32, in the order of operations of torch.optim.AdamW; sums of squares in a fixed order; and
// what an update has to write into the extended weights. Reference: backend/cpu (adamw, sumSquares).
#include "common.cuh"

// correction1 = 1 - beta1^step; correction2 = sqrt(1 - beta2^step).
KERNEL void adamw(float* parameter, const float* gradient, float* first, float* second, u64 count, float lr, float beta1,
                  float beta2, float eps, float decay, float scale, float correction1, float correction2) {
  const u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= count) return;
  const float g = gradient[at] * scale;
  const float p = parameter[at] * (1.f - lr * decay);
  const float m = first[at] + (g - first[at]) * (1.f - beta1);
  const float v = second[at] * beta2 + g * g * (1.f - beta2);
  first[at] = m;
  second[at] = v;
  parameter[at] = p - (lr / correction1) * (m / (sqrtf(v) / correction2 + eps));
}

// partial[block] = sum of squares of a block's share; the host adds them up in order.
KERNEL void sum_squares(float* partial, const float* values, u64 count) {
  __shared__ float sums[32];
  float sum = 0.f;
  const u64 step = (u64)gridDim.x * blockDim.x;
  for (u64 at = (u64)blockIdx.x * blockDim.x + threadIdx.x; at < count; at += step) sum += values[at] * values[at];
  sum = warpSum(sum);
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warpSum(lane < (blockDim.x >> 5) ? sums[lane] : 0.f);
  if (lane == 0) partial[blockIdx.x] = sum;
}

// An adapter into its extended weight [out + pad, in + pad]: A into the rows below, B times the scale into the columns beside,
// so that one product gives base and adapter. a [r, in], b [members' out, r]; `from` is the first output row of the member,
// `at` the first of its r places.
KERNEL void fold_adapter(b16* weight, int stride, int outRows, int inColumns, const float* a, const float* b, int r, int from,
                         int rowsOfB, int at, float scale) {
  const u64 index = (u64)blockIdx.x * blockDim.x + threadIdx.x;
  const u64 countA = (u64)r * inColumns, countB = (u64)rowsOfB * r;
  if (index < countA) {
    const int row = (int)(index / inColumns), column = (int)(index % inColumns);
    weight[(size_t)(outRows + at + row) * stride + column] = narrow(a[index]);
  } else if (index < countA + countB) {
    const u64 place = index - countA;
    const int row = (int)(place / r), column = (int)(place % r);
    weight[(size_t)(from + row) * stride + inColumns + at + column] = narrow(b[place] * scale);
  }
}
