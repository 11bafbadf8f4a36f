// Runs the threads of one CUDA block as fibers on one thread of the system: the scheduler below the shim.
//
// Every barrier has its real meaning. A barrier that can never complete is reported, with how many threads wait
// where, instead of hanging. Blocks may run on several threads of the system at once.
#include "fibers.h"
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>
#include <sys/mman.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if !defined(__x86_64__) || defined(SHIM_USE_UCONTEXT)
#define SHIM_UCONTEXT 1
#include <ucontext.h>
#endif

namespace shim {
__thread Block* current = nullptr;

struct Fiber {
  char* mem; void* fake = nullptr;
#ifdef SHIM_UCONTEXT
  ucontext_t ctx;
#else
  void* sp;
#endif
};

namespace {
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t STACK = 2 * 1024 * 1024;  // a sanitizer's report needs room
#else
constexpr size_t STACK = 128 * 1024;
#endif
constexpr size_t GUARD = 4096;

struct Scheduler : Block {
  unsigned n = 0, done = 0, at_block = 0;
  int acc[2] = {0, 0};
  std::vector<Thread> threads; std::vector<Warp> warps;
  std::vector<Fiber*> pool; std::vector<unsigned> order; std::vector<unsigned char> dynbuf;
  void (*fn)(void**) = nullptr; void** args = nullptr;
  char msg[256] = {0};
#if defined(__SANITIZE_ADDRESS__)
  void* fake = nullptr; const void* main_bottom = nullptr; size_t main_size = 0;
#endif
#ifdef SHIM_UCONTEXT
  ucontext_t main;
#else
  void* main_sp = nullptr;
#endif
  ~Scheduler();
};
Scheduler& own() { return static_cast<Scheduler&>(blk()); }

#ifdef SHIM_UCONTEXT
void raw_to_fiber(Scheduler& b, Fiber* f) { swapcontext(&b.main, &f->ctx); }
void raw_to_main(Scheduler& b, Fiber* f) { swapcontext(&f->ctx, &b.main); }
#else
// Saves the callee-saved registers of the System V ABI and swaps stacks.
__attribute__((naked, noinline)) void swap_sp(void** /*save*/, void* /*load*/) {
  __asm__ volatile(
      "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
      "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
      "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
void raw_to_fiber(Scheduler& b, Fiber* f) { swap_sp(&b.main_sp, f->sp); }
void raw_to_main(Scheduler& b, Fiber* f) { swap_sp(&f->sp, b.main_sp); }
#endif

// The sanitizer must know which stack is in use.
void to_fiber(Scheduler& b, Fiber* f) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&b.fake, f->mem + GUARD, STACK);
  raw_to_fiber(b, f);
  __sanitizer_finish_switch_fiber(b.fake, nullptr, nullptr);
#else
  raw_to_fiber(b, f);
#endif
}
void to_main(Scheduler& b, Fiber* f) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&f->fake, b.main_bottom, b.main_size);
  raw_to_main(b, f);
  __sanitizer_finish_switch_fiber(f->fake, &b.main_bottom, &b.main_size);
#else
  raw_to_main(b, f);
#endif
}

// A fiber runs one CUDA thread after another; it is only tied up while that thread waits, so a kernel without
// barriers needs a single stack.
void fiber_main() {
  Scheduler& b = own();
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &b.main_bottom, &b.main_size);
#endif
  for (;;) {
    b.fn(b.args);
    Thread& me = b.t[b.cur];
    me.state = DONE;
    to_main(b, me.fiber);
  }
}

Fiber* new_fiber() {
  char* m = (char*)mmap(nullptr, STACK + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (m == MAP_FAILED) { std::perror("shim: mmap"); std::abort(); }
  mprotect(m, GUARD, PROT_NONE);  // a runaway stack faults
  Fiber* f = new Fiber;
  f->mem = m;
#ifdef SHIM_UCONTEXT
  getcontext(&f->ctx);
  f->ctx.uc_stack.ss_sp = m + GUARD;
  f->ctx.uc_stack.ss_size = STACK;
  f->ctx.uc_link = nullptr;
  makecontext(&f->ctx, fiber_main, 0);
#else
  // Tops of stacks that lay at the same place of their pages would share few lines of the cache.
  static thread_local unsigned made = 0;
  void** sp = (void**)(m + GUARD + STACK - made++ % 64 * 256);
  *--sp = nullptr;                          // so that the entry sees rsp = 8 (mod 16), as after a call
  *--sp = (void*)fiber_main;                // "return" address of the first swap
  for (int i = 0; i < 6; i++) *--sp = nullptr;
  f->sp = sp;
#endif
  return f;
}
void free_fiber(Fiber* f) {
#if defined(__SANITIZE_ADDRESS__)
  // A thread that waits forever leaves frames behind, which would be forbidden to whoever gets these addresses next.
  __asan_unpoison_memory_region(f->mem + GUARD, STACK);
#endif
  munmap(f->mem, STACK + GUARD);
  delete f;
}

void release_block(Scheduler& b) {
  for (auto& t : b.threads) if (t.state == AT_BLOCK) t.state = READY;
  b.at_block = 0;
}

void run_thread(Scheduler& b, unsigned i) {
  Thread& t = b.t[i];
  if (!t.fiber) {
    if (b.pool.empty()) b.pool.push_back(new_fiber());
    t.fiber = b.pool.back();
    b.pool.pop_back();
  }
  b.cur = i;
  to_fiber(b, t.fiber);
  if (t.state != DONE) return;
  b.pool.push_back(t.fiber);
  t.fiber = nullptr;
  b.done++;
  if (b.at_block && b.at_block + b.done == b.n) release_block(b);
}

int report_fault(Scheduler& b) {
  unsigned c[4] = {0, 0, 0, 0};
  for (auto& t : b.threads) {
    c[t.state]++;
    if (t.fiber) { free_fiber(t.fiber); t.fiber = nullptr; }
  }
  std::snprintf(b.msg, sizeof b.msg,
                "block (%u,%u,%u): %s; %u threads done, %u at __syncthreads, %u at a warp operation, %u runnable",
                b.idx.x, b.idx.y, b.idx.z, b.fault, c[DONE], c[AT_BLOCK], c[AT_WARP], c[READY]);
  return 1;
}

// Runs one block; 0 when fine, 1 when it can never finish (message in b.msg).
int run_block(Scheduler& b) {
  b.done = b.at_block = 0; b.acc[0] = b.acc[1] = 0; b.fault = nullptr;
  std::memset(b.dynbuf.data(), 0xff, b.dynbuf.size());  // NaN: finds reads before writes
  for (unsigned i = 0; i < b.n; i++) {
    Thread& t = b.t[i];
    t.tid = {i % b.block.x, i / b.block.x % b.block.y, i / (b.block.x * b.block.y)};
    t.state = READY; t.fiber = nullptr; t.phase = 0;
  }
  while (b.done < b.n && !b.fault) {
    bool ran = false;
    for (unsigned i : b.order) {
      if (b.t[i].state != READY) continue;
      ran = true;
      run_thread(b, i);
      if (b.fault) break;
    }
    if (!ran) b.fault = "barrier that can never complete";
  }
  return b.fault ? report_fault(b) : 0;
}

Scheduler::~Scheduler() { for (Fiber* f : pool) free_fiber(f); }
}  // namespace

void wait_as(State s) {
  Scheduler& b = own();
  Thread& me = b.t[b.cur];
  me.state = s;
  to_main(b, me.fiber);
}
void block_barrier() {
  Scheduler& b = own();
  if (++b.at_block + b.done == b.n) return release_block(b);  // exited threads do not take part
  wait_as(AT_BLOCK);
}
void warp_barrier(unsigned mask) {
  Scheduler& b = own();
  const unsigned lane = b.cur & 31, base = b.cur & ~31u;
  if (!(mask >> lane & 1)) { b.fault = "a warp operation is called by a lane outside its own mask"; wait_as(AT_WARP); }
  b.t[b.cur].wmask = mask;
  bool last = true;
  for (unsigned l = 0; l < 32 && last; l++)
    if ((mask >> l & 1) && l != lane) {
      const unsigned i = base + l;
      last = i < b.n && b.t[i].state == AT_WARP && b.t[i].wmask == mask;
    }
  if (!last) return wait_as(AT_WARP);
  for (unsigned l = 0; l < 32; l++) if ((mask >> l & 1) && l != lane) b.t[base + l].state = READY;
}

int launch(void (*fn)(void**), dim3 g, dim3 bl, unsigned dyn, void** args, uint64_t first, uint64_t last,
           uint64_t seed, char* err, size_t errlen) {
  static thread_local Scheduler b;
  current = &b;
  b.grid = g; b.block = bl; b.n = bl.x * bl.y * bl.z; b.fn = fn; b.args = args;
  b.threads.assign(b.n, Thread{}); b.warps.resize((b.n + 31) / 32);
  b.t = b.threads.data(); b.w = b.warps.data();
  b.dynbuf.assign(dyn + 16, 0);
  b.dyn = (unsigned char*)(((uintptr_t)b.dynbuf.data() + 15) & ~(uintptr_t)15);
  b.order.resize(b.n);
  for (unsigned i = 0; i < b.n; i++) b.order[i] = seed == 1 ? b.n - 1 - i : i;
  uint64_t s = seed;
  if (seed > 1) for (unsigned i = b.n; i > 1; i--) {
    s ^= s << 13; s ^= s >> 7; s ^= s << 17;
    std::swap(b.order[i - 1], b.order[s % i]);
  }
  for (uint64_t k = first; k < last; k++) {
    const uint64_t i = seed == 1 ? last - 1 - (k - first) : k;
    b.idx = {(unsigned)(i % g.x), (unsigned)(i / g.x % g.y), (unsigned)(i / ((uint64_t)g.x * g.y))};
    if (run_block(b)) { std::snprintf(err, errlen, "%s", b.msg); return 1; }
  }
  return 0;
}

unsigned ballot(unsigned mask, int p) {
  Warp& w = warp();
  w.slot[lane()] = p != 0;
  warp_barrier(mask);
  unsigned r = 0;
  for (unsigned l = 0; l < 32; l++) if (mask >> l & 1) r |= (unsigned)w.slot[l] << l;
  warp_barrier(mask);
  return r;
}
int count(int p) {
  Scheduler& b = own();
  const unsigned me = b.cur;
  int& a = b.acc[b.t[me].phase];
  b.t[me].phase ^= 1;
  a += p != 0;
  block_barrier();
  const int r = a;
  block_barrier();
  a = 0;
  return r;
}
}  // namespace shim
