// The calls of the CUDA driver that the trainer uses, on memory of the host: every call is done when it returns. Kernels are those
// of `entries`.
#include "cuda.h"
#include <stdlib.h>

struct Entry {
  const char* name;
  void (*call)(void**);
};
extern const Entry entries[];
void launchBlocks(const char* name, void (*entry)(void**), Position grid, unsigned count, unsigned bytes, void** arguments);

constexpr int NOT_FOUND = 500, OUT_OF_MEMORY = 2;
constexpr size_t MEMORY = size_t(1) << 37;
#define CALL extern "C" int

CALL cuInit(unsigned) { return 0; }
CALL cuDriverGetVersion(int* version) { return *version = 13000, 0; }
CALL cuDeviceGetCount(int* count) { return *count = 1, 0; }
CALL cuDeviceGet(int* device, int) { return *device = 0, 0; }
CALL cuDeviceGetName(char* name, int, int) { return strcpy(name, "emulated GPU"), 0; }
// Compute capability 9.0; others are not asked for where they matter.
CALL cuDeviceGetAttribute(int* value, int attribute, int) { return *value = attribute == 75 ? 9 : attribute == 16 ? 132 : 0, 0; }
CALL cuDeviceTotalMem_v2(size_t* bytes, int) { return *bytes = MEMORY, 0; }
CALL cuDevicePrimaryCtxRetain(int64_t* context, int) { return *context = 1, 0; }
CALL cuDevicePrimaryCtxRelease_v2(int) { return 0; }
CALL cuCtxSetCurrent(int64_t) { return 0; }
CALL cuCtxSynchronize() { return 0; }
CALL cuModuleLoadData(int64_t* module, const void*) { return *module = 1, 0; }
CALL cuModuleUnload(int64_t) { return 0; }
CALL cuModuleGetFunction(const Entry** kernel, int64_t, const char* name) {
  for (const Entry* entry = entries; entry->name != nullptr; entry++)
    if (strcmp(entry->name, name) == 0) return *kernel = entry, 0;
  return NOT_FOUND;
}
CALL cuFuncSetAttribute(int64_t, int, int) { return 0; }
CALL cuMemAlloc_v2(void** pointer, size_t bytes) {
  // As the driver's, so that what is aligned here is aligned there; a tool sees where it ends.
  return posix_memalign(pointer, 512, bytes) == 0 ? 0 : OUT_OF_MEMORY;
}
CALL cuMemFree_v2(void* pointer) { return free(pointer), 0; }
CALL cuMemGetInfo_v2(size_t* free, size_t* total) { return *free = *total = MEMORY, 0; }
CALL cuMemcpyHtoD_v2(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes), 0; }
CALL cuMemcpyDtoH_v2(void* to, const void* from, size_t bytes) { return memcpy(to, from, bytes), 0; }
CALL cuMemcpyHtoDAsync_v2(void* to, const void* from, size_t bytes, int64_t) { return memcpy(to, from, bytes), 0; }
CALL cuMemcpyDtoDAsync_v2(void* to, const void* from, size_t bytes, int64_t) { return memmove(to, from, bytes), 0; }
CALL cuMemsetD32Async(unsigned* to, unsigned value, size_t count, int64_t) {
  for (size_t i = 0; i < count; i++) to[i] = value;
  return 0;
}
CALL cuMemHostAlloc(void** pointer, size_t bytes, unsigned) { return *pointer = malloc(bytes), 0; }
CALL cuMemFreeHost(void* pointer) { return free(pointer), 0; }
CALL cuStreamCreate(int64_t* stream, unsigned) { return *stream = 1, 0; }
CALL cuStreamSynchronize(int64_t) { return 0; }
CALL cuStreamDestroy_v2(int64_t) { return 0; }
CALL cuEventCreate(int64_t* event, unsigned) { return *event = 1, 0; }
CALL cuEventRecord(int64_t, int64_t) { return 0; }
CALL cuEventSynchronize(int64_t) { return 0; }
CALL cuEventElapsedTime_v2(float* milliseconds, int64_t, int64_t) { return *milliseconds = 1.f, 0; }
CALL cuLaunchKernel(const Entry* kernel, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned, unsigned, unsigned shared,
                    int64_t, void** arguments, int64_t) {
  launchBlocks(kernel->name, kernel->call, {x, y, z}, threads, shared, arguments);
  return 0;
}
CALL cuGetErrorName(int, void*) { return 1; }
