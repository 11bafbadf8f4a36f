// Points with a number each, and the walk over those in reach: what loops over neighbors read.
#pragma once
#include "common/search/neighbors.cuh"
#include "common/search/rows.cuh"

inline namespace SPH_SPACE {

/// `LOOP_BLOCKS` of the loops here. To collect neighbors takes more registers in f64.
constexpr u32 NEAR_BLOCKS = LOOP_BLOCKS - (COLLECTS && sizeof(real) == 8);

/// Points that a loop finds, in the order of their cells.
// FROM &'a crate::common::search::neighbors::Around<'a, D>
struct Near {
  Search search;
  /// [x y z s], shape [n].
  const Packed* place;
  /// Where each cell begins, shape [cells + 1].
  const u32* start;
  /// Rows of these points among themselves, which only `Walk::Kept` reads: neighbors and a skin around them.
  Rows rows;
};

/// Calls `f(j, s_j, x_ij, |x_ij|²)` for a point j with its record, if it is within the radius now. What a walk has tested
/// already has the same bits here.
template <class F> SPH_FN void process(const Near& near, u32 j, const Packed& record, Vec x_i, F& f) {
  Vec d;
  for (int a = 0; a < DIM; a++) d[a] = exact_sub(record.a[a], x_i[a]);
  if (near.search.grid.periodic) d = nearest_image(near.search.grid, d);
  const real r2 = exact_norm2(d);
  if (WALK == Walk::Kept && !(r2 < near.search.radius2)) return;
  for (int a = 0; a < DIM; a++) d[a] = -d[a];
  f(j, record.a[3], d, r2);
}

/// Neighbors that a thread collects before it processes them: those of a support of two spacings fit, others are
/// processed in more than one part. 24 KiB a block.
constexpr u32 QUEUE = 48;

/// Queues of a block, one column a thread, so that no two threads of a warp use one bank.
SPH_FN u32* queue_of_thread() {
  __shared__ u32 queues[QUEUE * THREADS];
  return queues + threadIdx.x;
}

/// Collects neighbors. A warp executes the body of a loop whenever one of its threads has a neighbor, and each finds
/// them at other candidates: collected first, they are processed together.
template <class F> struct Queue {
  const Near& near;
  Vec x_i;
  F& f;
  u32* column;
  u32 n;

  SPH_FN void operator()(u32 j, Vec, real) { column[n++ * THREADS] = j; }

  /// Processes what was found if one of the threads that run together could not collect a group more. When a thread
  /// does it changes no result, since neighbors keep their order.
  SPH_FN void flush_if_full() {
    if (__any_sync(__activemask(), n + GROUP > QUEUE)) process_all();
  }

  SPH_FN void process_all() {
#pragma unroll 1
    for (u32 k = 0; k < n; k++) {
      const u32 j = column[k * THREADS];
      process(near, j, load(near.place, j), x_i, f);
    }
    n = 0;
  }
};

/// Calls `f(j, s_j, x_ij, |x_ij|²)` for the neighbors of `x_i`, ascending, without `self`.
template <class F> SPH_FN void visit_near(const Near& near, Vec x_i, u32 self, F& f) {
  const Packed* const place = near.place;
  if constexpr (COLLECTS) {
    Queue<F> queue{near, x_i, f, queue_of_thread(), 0};
    for_each_neighbor(near.search, place, near.start, x_i, self, queue);
    queue.process_all();
  } else {
    for_each_neighbor(near.search, place, near.start, x_i, self, [&](u32 j, Vec d, real r2) {
      for (int a = 0; a < DIM; a++) d[a] = -d[a];
      f(j, load(place, j).a[3], d, r2);
    });
  }
}

/// `visit_near` of a point that is not one of `near`.
template <class F> SPH_FN void visit(const Near& near, Vec x_i, F f) { visit_near(near, x_i, NONE, f); }

/// What a row says of a neighbor, with its number.
struct Entry {
  Packed place;
  u32 j;
};

/// `visit_near` of the point `i` of `near`.
template <class F> SPH_FN void visit(const Near& near, Vec x_i, u32 i, F f) {
  if constexpr (WALK == Walk::Kept) {
    const Packed* const place = near.place;
    for_each_in_row(near.rows, i, [=](u32 j) { return Entry{load(place, j), j}; },
                    [&](const Entry& entry) { process(near, entry.j, entry.place, x_i, f); });
  } else {
    visit_near(near, x_i, i, f);
  }
}

}  // namespace SPH_SPACE
