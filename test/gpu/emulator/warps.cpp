// Blocks of a kernel one after another, their threads as stacks that are switched between (x86-64, System V). A thread runs until
// it needs others: those of its warp (shuffles, matrix fragments) or of its block (barriers). Copies to shared memory arrive as
// late as they may; reads and writes of it that no barrier separates end the process.
#include "cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <utility>
#include <vector>

Position threadIdx, blockIdx, blockDim, gridDim;
constexpr unsigned SHARED = 256 * 1024, STACK = 256 * 1024, PIECE = 16;
alignas(1024) unsigned char shared[SHARED];

struct Copy {
  unsigned to;
  const void* from;
  bool valid;
};
enum State { RUNS, NEEDS_WARP, NEEDS_BLOCK, ENDED };
struct Thread {
  unsigned index;
  State state;
  void* stack;
  char* memory;
  unsigned turn;  // which of the two exchanges of its warp is next
  std::vector<Copy> open;
  std::vector<std::vector<Copy>> groups;
};
/** What lanes of a warp tell each other. Two of them in turn: no lane is further ahead than that. */
struct Exchange {
  float value[32];
  unsigned address[32];
  float a[16][16], b[8][16];
};
/** A piece of shared memory: copies under way to it, and when (by barriers passed) and by whom it was written and read last. */
struct Piece {
  int underWay, written, writer, read, reader;
  bool hasMoreReaders;
};

static std::vector<Thread> threads;
static Thread* now;
static void* caller;
static Exchange exchanges[32][2];
static Piece pieces[SHARED / PIECE];
static int barriers;
static unsigned sharedBytes;
static const char* kernelName;
static void (*kernel)(void**);
static void** kernelArguments;

[[noreturn]] static void fail(const char* what) {
  fprintf(stderr, "emulator: %s in %s, block %u %u, thread %u\n", what, kernelName, blockIdx.x, blockIdx.y, now->index);
  _Exit(70);
}

extern "C" void switchStacks(void** from, void* to);
asm(".globl switchStacks\n"
    "switchStacks:\n"
    "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n"
    "  mov %rsp, (%rdi)\n"
    "  mov %rsi, %rsp\n"
    "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n"
    "  ret\n");

static void leave(State state) {
  Thread* self = now;
  self->state = state;
  switchStacks(&self->stack, caller);
}
static void enter(Thread& thread) {
  now = &thread;
  threadIdx.x = thread.index;
  switchStacks(&caller, thread.stack);
}
static void run() {
  kernel(kernelArguments);
  leave(ENDED);
}

static void prepare(Thread& thread, unsigned index) {
  if (thread.memory == nullptr)
    thread.memory = (char*)mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void** top = (void**)(thread.memory + STACK - 64);
  top[0] = (void*)run;
  // The six registers that a switch takes from the stack.
  thread.stack = top - 6;
  thread.index = index, thread.state = RUNS, thread.turn = 0;
  thread.open.clear(), thread.groups.clear();
}

/** Runs the lanes of a warp until none goes on without the block. Returns how many wait for it. */
static unsigned runWarp(unsigned first, unsigned end) {
  for (;;) {
    unsigned together = 0, waiting = 0;
    for (unsigned i = first; i < end; i++) {
      if (threads[i].state == RUNS) enter(threads[i]);
      together += threads[i].state == NEEDS_WARP, waiting += threads[i].state == NEEDS_BLOCK;
    }
    if (together == 0) return waiting;
    if (together < end - first) fail("an operation of a warp without all of its lanes");
    for (unsigned i = first; i < end; i++) threads[i].state = RUNS;
  }
}

static void runBlock(unsigned count) {
  if (threads.size() < count) threads.resize(count);
  for (unsigned i = 0; i < count; i++) prepare(threads[i], i);
  memset(shared, 0xff, sharedBytes);
  for (unsigned i = 0; i < sharedBytes / PIECE; i++) pieces[i] = {0, -1, -1, -1, -1, false};
  for (barriers = 0;; barriers++) {
    unsigned waiting = 0;
    for (unsigned first = 0; first < count; first += 32) waiting += runWarp(first, min(first + 32, count));
    if (waiting == 0) break;
    // Threads that have ended count as arrived.
    for (unsigned i = 0; i < count; i++)
      if (threads[i].state == NEEDS_BLOCK) threads[i].state = RUNS;
  }
  for (unsigned i = 0; i < count; i++) {
    now = &threads[i];
    if (!now->open.empty()) fail("copies that were not committed");
    for (auto& group : now->groups)
      if (!group.empty()) fail("copies that nobody waited for");
  }
}

/** @param bytes of dynamic shared memory */
void launchBlocks(const char* name, void (*entry)(void**), Position grid, unsigned count, unsigned bytes, void** arguments) {
  kernelName = name, kernel = entry, kernelArguments = arguments, sharedBytes = bytes;
  gridDim = grid, blockDim = {count, 1, 1};
  for (unsigned y = 0; y < grid.y; y++)
    for (unsigned x = 0; x < grid.x; x++) {
      blockIdx = {x, y, 0};
      runBlock(count);
    }
}

void waitForBlock() { leave(NEEDS_BLOCK); }

static Exchange& nextExchange() {
  Exchange& exchange = exchanges[now->index / 32][now->turn];
  now->turn ^= 1;
  return exchange;
}

float shuffleXor(float value, int step) {
  Exchange& exchange = nextExchange();
  const unsigned lane = now->index & 31;
  exchange.value[lane] = value;
  leave(NEEDS_WARP);
  return exchange.value[lane ^ step];
}

static Piece& pieceAt(unsigned address) {
  if (address % PIECE != 0) fail("a misaligned address of shared memory");
  if (address + PIECE > sharedBytes) fail("an address behind the end of shared memory");
  return pieces[address / PIECE];
}
static bool isOthers(int thread) { return thread != (int)now->index; }

void copyLater(unsigned to, const void* from, bool valid) {
  Piece& piece = pieceAt(to);
  if ((uintptr_t)from % PIECE != 0) fail("a misaligned address of a copy");
  if (piece.read == barriers && (piece.hasMoreReaders || isOthers(piece.reader))) fail("a write while others read");
  if (piece.underWay > 0 || (piece.written == barriers && isOthers(piece.writer))) fail("a write while others write");
  piece.underWay++;
  now->open.push_back({to, from, valid});
}
void commitCopies() { now->groups.push_back(std::exchange(now->open, {})); }
void waitForCopies(int left) {
  while ((int)now->groups.size() > left) {
    for (const Copy& copy : now->groups.front()) {
      if (copy.valid) memcpy(shared + copy.to, copy.from, PIECE);
      else memset(shared + copy.to, 0, PIECE);
      Piece& piece = pieceAt(copy.to);
      piece.underWay--, piece.written = barriers, piece.writer = now->index;
    }
    now->groups.erase(now->groups.begin());
  }
}

static void read(unsigned address) {
  Piece& piece = pieceAt(address);
  if (piece.underWay > 0) fail("a read of what a copy is still writing");
  if (piece.written < 0) fail("a read of what nobody wrote");
  if (piece.written == barriers && isOthers(piece.writer)) fail("a read while others write");
  piece.hasMoreReaders = piece.read == barriers && (piece.hasMoreReaders || isOthers(piece.reader));
  piece.read = barriers, piece.reader = now->index;
}

/** ldmatrix: lane l tells where row l % 8 of matrix l / 8 is, and gets of each matrix two elements of row l / 4 (of column l / 4). */
void readMatrices(unsigned* r, unsigned address, bool transposed) {
  read(address);
  Exchange& exchange = nextExchange();
  const unsigned lane = now->index & 31, outer = lane >> 2, inner = 2 * (lane & 3);
  exchange.address[lane] = address;
  leave(NEEDS_WARP);
  for (unsigned i = 0; i < 4; i++) {
    unsigned pair = 0;
    for (unsigned k = 0; k < 2; k++) {
      const unsigned row = transposed ? inner + k : outer, column = transposed ? outer : inner + k;
      unsigned short element;
      memcpy(&element, shared + exchange.address[i * 8 + row] + 2 * column, 2);
      pair |= (unsigned)element << (16 * k);
    }
    r[i] = pair;
  }
}

static float first(unsigned pair) { return __uint_as_float(pair << 16); }
static float second(unsigned pair) { return __uint_as_float(pair & 0xffff0000u); }

/** mma.m16n8k16, layouts of its fragments as in the PTX manual. */
void multiplyFragments(float* c, const unsigned* a, unsigned b0, unsigned b1) {
  Exchange& exchange = nextExchange();
  const unsigned lane = now->index & 31, row = lane >> 2, pair = 2 * (lane & 3);
  for (unsigned i = 0; i < 4; i++) {
    float* to = &exchange.a[row + 8 * (i & 1)][pair + 8 * (i >> 1)];
    to[0] = first(a[i]), to[1] = second(a[i]);
  }
  float* to = &exchange.b[row][pair];
  to[0] = first(b0), to[1] = second(b0), to[8] = first(b1), to[9] = second(b1);
  leave(NEEDS_WARP);
  for (unsigned i = 0; i < 4; i++) {
    const float *left = exchange.a[row + 8 * (i >> 1)], *right = exchange.b[pair + (i & 1)];
    float sum = 0.f;
    for (unsigned k = 0; k < 16; k++) sum += left[k] * right[k];
    c[i] += sum;
  }
}

/** To nearest, ties to even; NaN becomes the one that the GPU makes. */
unsigned short toBfloat16(float value) {
  if (value != value) return 0x7fff;
  const unsigned bits = __float_as_uint(value);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}
float powerOfTwoOf(float x) {
  const float y = exp2f(x);
  return y < 0x1p-126f ? 0.f : y;
}
