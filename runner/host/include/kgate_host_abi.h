#pragma once

/* What a kernel's shared object and the child agree on. Both include this one file: the child as part of its build, the
   shared object because the file's text is embedded in the child and written beside the kernel's sources. Plain C types
   only, so that any compiler lays them out alike. */

#define KGATE_HOST_ABI_VERSION 1u

/* One block of the grid on its way. It belongs to one worker, and all of its threads run on that worker's OS thread. */
struct kgate_host_block {
  unsigned grid_dim[3], block_dim[3], block_index[3];
  unsigned next[3];     /* threadIdx of the thread that starts next */
  unsigned next_thread; /* its number in the block: x fastest */
  unsigned threads;     /* in the block */
  unsigned live;        /* threads that have not ended, started or not */
  unsigned* warp_live;  /* the same for each warp of 32 */
  void* dynamic_shared;
};

/* What the lanes of a warp brought to one warp operation. Valid until the lane's next warp operation. */
struct kgate_host_exchange {
  const unsigned long long* values; /* one a lane */
  unsigned lanes;                   /* bit set: the lane took part */
};

enum kgate_host_operation {
  kgate_host_syncwarp,
  kgate_host_shfl,
  kgate_host_shfl_up,
  kgate_host_shfl_down,
  kgate_host_shfl_xor,
};

/* What the child offers to the kernel. `thread` is the caller's number in the block. */
struct kgate_host_services {
  unsigned version;
  void (*barrier)(struct kgate_host_block* block);
  struct kgate_host_exchange (*exchange)(struct kgate_host_block* block, unsigned thread,
                                         enum kgate_host_operation operation, unsigned mask, unsigned long long value);
  /* Lets the block's other threads go on. */
  void (*yield)(struct kgate_host_block* block);
  /* Ends the launch with this finding; does not return. `text` is copied. */
  void (*fault)(struct kgate_host_block* block, unsigned thread, const char* text);
};

/* One kernel, exported as kgate_entry_0, kgate_entry_1, ... */
struct kgate_host_entry {
  /* Runs threads of the block, one after the other, until none is left to start. May be called again on the same block,
     from another fiber, while a thread of an earlier call waits. arguments[i] points to the value of parameter i. */
  void (*run)(struct kgate_host_block* block, void* const* arguments);
  unsigned parameters;
  const unsigned* parameter_bytes;
};
