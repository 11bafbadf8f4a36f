// A driver library for tests: what it answers, SPH_FAKE says.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is(const char* mode) {
  const char* fake = getenv("SPH_FAKE");
  return fake && strcmp(fake, mode) == 0;
}

enum { STUB = 34, NO_DEVICE = 100, MISMATCH = 803, ILLEGAL_ADDRESS = 700, OUT_OF_MEMORY = 2, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

typedef unsigned long long u64;
// After a kernel died every call fails: of "kernel fails" from the next wait on, of "kernel dies" at once.
static int launched = 0, dead = 0;
static int fails(void) { return dead ? ILLEGAL_ADDRESS : 0; }
static void misuse(const char* what) {
  fprintf(stderr, "misuse of the driver: %s\n", what);
  _exit(9);
}

// ------------------------------------------------------------ one stream, whose copies from the host are done late
static struct { void* to; const void* from; size_t n; u64 sum; } late[4096];
static int n_late = 0;
static u64 sum_of(const void* from, size_t n) {
  u64 sum = 14695981039346656037ull;
  for (size_t i = 0; i < n; i++) sum = (sum ^ ((const unsigned char*)from)[i]) * 1099511628211ull;
  return sum;
}
static int work_off(void) {
  for (int k = 0; k < n_late; k++) {
    if (sum_of(late[k].from, late[k].n) != late[k].sum) misuse("values were changed before they were copied");
    memcpy(late[k].to, late[k].from, late[k].n);
  }
  n_late = 0;
  return fails();
}

int cuDriverGetVersion(int* v) { *v = is("old") ? 12020 : 13000; return is("stub") ? STUB : 0; }
int cuInit(unsigned flags) { (void)flags; return is("stub") ? STUB : is("no GPU") ? NO_DEVICE : is("mismatch") ? MISMATCH : 0; }
#ifndef BROKEN
int cuDeviceGetCount(int* n) { *n = is("none counted") ? 0 : 2; return 0; }
#endif
int cuDeviceGet(int* card, int ordinal) { *card = ordinal + 40; return 0; }
int cuDeviceGetName(char* name, int room, int card) { snprintf(name, room, "Fake GPU %c", 'A' + card - 40); return 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int card) { (void)card; *bytes = 80ull << 30; return 0; }
static int pools(void) { return getenv("SPH_FAKE_POOLS") != 0; }
int cuDeviceGetAttribute(int* value, int which, int card) {
  const char* capability = getenv("SPH_FAKE_CAPABILITY");
  const int number = capability ? atoi(capability) : 90;
  (void)card;
  *value = which == 75 ? number / 10 : which == 76 ? number % 10 : which == 115 ? pools() : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int card) { *context = (void*)0x1000; return card == 41 ? 46 : 0; }
int cuDevicePrimaryCtxRelease_v2(int card) { (void)card; return 0; }
int cuCtxPushCurrent_v2(void* context) { (void)context; return 0; }
int cuCtxPopCurrent_v2(void** context) { *context = 0; return 0; }
int cuCtxGetCurrent(void** context) { *context = (void*)0x1000; return 0; }
int cuCtxSetCurrent(void* context) { (void)context; return 0; }
int cuCtxSynchronize(void) { return 0; }

// ------------------------------------------------------------ memory: each block after its size
static size_t used = 0, reserved = 0;
static u64 threshold = 0;
static int allocate(u64* p, size_t n) {
  if (n == 0) return 1;
  if (is("memory full") && n > 1000) return OUT_OF_MEMORY;
  size_t* block = malloc(n + 16);
  *block = n;
  *p = (u64)(size_t)(block + 2);
  used += n;
  if (reserved < used) reserved = used;
  return fails();
}
static void release(u64 p) {
  size_t* block = (size_t*)(size_t)p - 2;
  used -= *block;
  if (!pools()) reserved = used;
  free(block);
}
int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) { *free_bytes = (60ull << 30) - reserved; *total = 80ull << 30; return fails(); }
int cuMemAlloc_v2(u64* p, size_t n) { if (pools()) misuse("a pool is there"); return allocate(p, n); }
int cuMemFree_v2(u64 p) { if (work_off()) return fails(); release(p); return 0; }
int cuMemAllocAsync(u64* p, size_t n, void* s) { (void)s; if (!pools() || !threshold) misuse("no pool that keeps is there"); return allocate(p, n); }
int cuMemFreeAsync(u64 p, void* s) { (void)s; if (work_off()) return fails(); release(p); return 0; }
int cuDeviceGetDefaultMemPool(void** pool, int card) { (void)card; *pool = (void*)0x6000; return 0; }
int cuMemPoolSetAttribute(void* pool, int which, void* value) { (void)pool; if (which == 4) threshold = *(u64*)value; return 0; }
int cuMemPoolGetAttribute(void* pool, int which, void* value) { (void)pool; *(u64*)value = which == 5 ? reserved : which == 7 ? used : 0; return 0; }
int cuMemHostAlloc(void** p, size_t n, unsigned flags) { (void)flags; *p = aligned_alloc(4096, n); return is("no pinned memory") ? OUT_OF_MEMORY : fails(); }
int cuMemFreeHost(void* p) { if (n_late) misuse("memory was freed before it was copied"); free(p); return fails(); }

int cuMemsetD8Async(u64 p, unsigned char v, size_t n, void* s) { (void)s; if (work_off()) return fails(); memset((void*)(size_t)p, v, n); return 0; }
int cuMemcpyHtoDAsync_v2(u64 to, const void* from, size_t n, void* s) {
  (void)s;
  if (n_late == 4096) work_off();
  late[n_late].to = (void*)(size_t)to, late[n_late].from = from, late[n_late].n = n, late[n_late++].sum = sum_of(from, n);
  return fails();
}
int cuMemcpyDtoHAsync_v2(void* to, u64 from, size_t n, void* s) { (void)s; if (work_off()) return fails(); memcpy(to, (void*)(size_t)from, n); return 0; }
int cuMemcpyDtoDAsync_v2(u64 to, u64 from, size_t n, void* s) { (void)s; if (work_off()) return fails(); memcpy((void*)(size_t)to, (void*)(size_t)from, n); return 0; }
int cuStreamCreate(void** stream, unsigned flags) { (void)flags; *stream = (void*)0x2000; return 0; }
int cuStreamDestroy_v2(void* stream) { (void)stream; return 0; }
int cuStreamSynchronize(void* stream) {
  (void)stream;
  dead |= launched && is("kernel fails");
  if (reserved - used > threshold) reserved = used;
  return work_off();
}

// ------------------------------------------------------------ kernels take a millisecond a letter of their name
static float now_ms = 0;
static int n_events = 0;
int cuEventCreate(float** event, unsigned flags) {
  (void)flags;
  *event = malloc(sizeof(float));
  **event = -1;
  return ++n_events > 3000 ? OUT_OF_MEMORY : fails();
}
int cuEventDestroy_v2(float* event) { n_events--; free(event); return fails(); }
int cuEventRecord(float* event, void* stream) { (void)stream; *event = now_ms; now_ms += 0.5f; return fails(); }
int cuEventSynchronize(float* event) { return *event < 0 ? fails() : work_off(); }
int cuEventElapsedTime_v2(float* ms, const float* start, const float* end) { *ms = *end - *start - 0.5f; return fails(); }
int cuModuleLoadData(void** module, const void* image) {
  *module = (void*)0x3000;
  // Where a word is named, no other code loads.
  const char* loads = getenv("SPH_FAKE_LOADS");
  if (loads) return strncmp(image, loads, strlen(loads)) == 0 ? 0 : 209;
  return is("stale cache") && memcmp(image, "stale", 5) == 0 ? 200 : is("no load") ? 218 : fails();
}
int cuModuleUnload(void* module) { (void)module; return 0; }
int cuModuleGetFunction(char** f, void* module, const char* name) { (void)module; *f = strdup(name); return is("no kernel") ? NOT_FOUND : 0; }
int cuLaunchKernel(const char* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream, void** args, void** extra) {
  (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)args, (void)extra;
  const int before = fails();
  launched = 1;
  dead |= is("kernel dies") && strcmp(f, "pack_positions") == 0;
  now_ms += strlen(f);
  return is("no launch") ? LAUNCH_FAILED : before;
}
