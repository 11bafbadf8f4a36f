// A driver library for tests: what it answers, SPH_FAKE says.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is(const char* mode) {
  const char* fake = getenv("SPH_FAKE");
  return fake && strcmp(fake, mode) == 0;
}

enum { STUB = 34, NO_DEVICE = 100, MISMATCH = 803, ILLEGAL_ADDRESS = 700, OUT_OF_MEMORY = 2, NOT_FOUND = 500, LAUNCH_FAILED = 719 };
static int launched = 0;

int cuDriverGetVersion(int* v) { *v = is("old") ? 12020 : 13000; return is("stub") ? STUB : 0; }
int cuInit(unsigned flags) { (void)flags; return is("stub") ? STUB : is("no card") ? NO_DEVICE : is("mismatch") ? MISMATCH : 0; }
#ifndef BROKEN
int cuDeviceGetCount(int* n) { *n = is("none counted") ? 0 : 2; return 0; }
#endif
int cuDeviceGet(int* card, int ordinal) { *card = ordinal + 40; return 0; }
int cuDeviceGetName(char* name, int room, int card) { snprintf(name, room, "Fake Card %c", 'A' + card - 40); return 0; }
int cuDeviceTotalMem_v2(size_t* bytes, int card) { (void)card; *bytes = 80ull << 30; return 0; }
int cuDeviceGetAttribute(int* value, int which, int card) {
  const char* capability = getenv("SPH_FAKE_CAPABILITY");
  const int number = capability ? atoi(capability) : 90;
  (void)card;
  *value = which == 75 ? number / 10 : which == 76 ? number % 10 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void** context, int card) { *context = (void*)0x1000; return card == 41 ? 46 : 0; }
int cuDevicePrimaryCtxRelease_v2(int card) { (void)card; return 0; }
int cuCtxPushCurrent_v2(void* context) { (void)context; return 0; }
int cuCtxPopCurrent_v2(void** context) { *context = 0; return 0; }
int cuCtxGetCurrent(void** context) { *context = (void*)0x1000; return 0; }
int cuCtxSetCurrent(void* context) { (void)context; return 0; }
int cuCtxSynchronize(void) { return 0; }
int cuMemGetInfo_v2(size_t* free_bytes, size_t* total) { *free_bytes = 60ull << 30; *total = 80ull << 30; return 0; }
int cuStreamCreate(void** stream, unsigned flags) { (void)flags; *stream = (void*)0x2000; return 0; }
int cuStreamDestroy_v2(void* stream) { (void)stream; return 0; }
int cuStreamSynchronize(void* stream) { (void)stream; return launched && is("kernel fails") ? ILLEGAL_ADDRESS : 0; }
int cuMemAlloc_v2(unsigned long long* p, size_t n) {
  if (n == 0) return 1;
  if (is("memory full") && n > 1000) return OUT_OF_MEMORY;
  *p = (unsigned long long)(size_t)malloc(n);
  return 0;
}
int cuMemFree_v2(unsigned long long p) { free((void*)(size_t)p); return 0; }
int cuMemsetD8Async(unsigned long long p, unsigned char v, size_t n, void* s) { (void)s; memset((void*)(size_t)p, v, n); return 0; }
int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, size_t n, void* s) { (void)s; memcpy((void*)(size_t)to, from, n); return 0; }
int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, size_t n, void* s) { (void)s; memcpy(to, (void*)(size_t)from, n); return 0; }
int cuModuleLoadData(void** module, const void* image) {
  *module = (void*)0x3000;
  // Where a word is named, no other code loads.
  const char* loads = getenv("SPH_FAKE_LOADS");
  if (loads) return strncmp(image, loads, strlen(loads)) == 0 ? 0 : 209;
  return is("stale cache") && memcmp(image, "stale", 5) == 0 ? 200 : is("no load") ? 218 : 0;
}
int cuModuleUnload(void* module) { (void)module; return 0; }
int cuModuleGetFunction(void** f, void* module, const char* name) { (void)module, (void)name; *f = (void*)0x4000; return is("no kernel") ? NOT_FOUND : 0; }
int cuLaunchKernel(void* f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void* stream, void** args, void** extra) {
  (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)args, (void)extra;
  launched = 1;
  return is("no launch") ? LAUNCH_FAILED : 0;
}
