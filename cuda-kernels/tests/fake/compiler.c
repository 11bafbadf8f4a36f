// A compiler library for tests: its machine code is the word of SPH_FAKE_CODE, and its PTX the same after "ptx ".
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

static const char* code(void) {
  const char* word = getenv("SPH_FAKE_CODE");
  return word ? word : "fresh code";
}
static int refuses(void) { return strcmp(code(), "refuse") == 0; }

int nvrtcVersion(int* major, int* minor) { *major = 13; *minor = getenv("SPH_FAKE_NVRTC") ? atoi(getenv("SPH_FAKE_NVRTC")) : 0; return 0; }
int nvrtcGetNumSupportedArchs(int* n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int* archs) { archs[0] = 80; archs[1] = 90; return 0; }
int nvrtcCreateProgram(void** p, const char* text, const char* name, int n, const char* const* h, const char* const* i) {
  (void)text, (void)name, (void)n, (void)h, (void)i;
  *p = (void*)0x5000;
  return 0;
}
int nvrtcDestroyProgram(void** p) { (void)p; return 0; }
int nvrtcCompileProgram(void* p, int n, const char* const* options) { (void)p, (void)n, (void)options; return refuses() ? 6 : 0; }
int nvrtcGetProgramLogSize(void* p, size_t* n) { (void)p; *n = 19; return 0; }
int nvrtcGetProgramLog(void* p, char* log) { (void)p; strcpy(log, "what it has to say"); return 0; }
int nvrtcGetCUBINSize(void* p, size_t* n) { (void)p; *n = strlen(code()); return 0; }
int nvrtcGetCUBIN(void* p, char* out) { (void)p; memcpy(out, code(), strlen(code())); return 0; }
int nvrtcGetPTXSize(void* p, size_t* n) { (void)p; *n = strlen(code()) + 5; return 0; }
int nvrtcGetPTX(void* p, char* out) { (void)p; sprintf(out, "ptx %s", code()); return 0; }
