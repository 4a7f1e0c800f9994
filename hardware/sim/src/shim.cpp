// A C interface to one model: construct it, run a cycle, delete it. Compiled once for each form,
// whose name is FORM.

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define MODEL JOIN(V, FORM)
#define HEADER_(x) <V##x.h>
#define HEADER(x) HEADER_(x)

#include HEADER(FORM)
#include <cstdint>
#include <cstring>
#include <type_traits>

// The ports of one engine; the same fields in the same order are in `ffi.rs`.
struct Ports {
  uint64_t in_data;
  uint64_t out_data;
  uint16_t in_id;
  uint16_t out_id;
  uint8_t in_valid, in_keep, in_last, in_dest, in_ready;
  uint8_t out_valid, out_user, out_ready;
};

// A port is an integer, or an array of 32-bit words if it has more than 64 bits; engine e has the
// bits from e * width on.
template <typename Port>
static uint64_t get(const Port& port, size_t engine, unsigned width) {
  uint64_t value = 0;
  if constexpr (std::is_integral_v<Port>) {
    value = static_cast<uint64_t>(port) >> (engine * width);
  } else {
    for (unsigned bit = 0; bit < width; bit += 32) {
      const size_t at = engine * width + bit;
      uint64_t word = port[at / 32] >> (at % 32);
      value |= word << bit;
    }
  }
  return width == 64 ? value : value & ((uint64_t{1} << width) - 1);
}

template <typename Port>
static void put(Port& port, size_t engine, unsigned width, uint64_t value) {
  const uint64_t mask = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if constexpr (std::is_integral_v<Port>) {
    const unsigned at = engine * width;
    port = static_cast<Port>((port & ~(mask << at)) | ((value & mask) << at));
  } else {
    // Only the data are this wide: whole words.
    for (unsigned bit = 0; bit < width; bit += 32) port[(engine * width + bit) / 32] = value >> bit;
  }
}

struct Simulation {
  VerilatedContext context;
  MODEL* model;
};

extern "C" {

void* JOIN(FORM, _new)(uint32_t seed) {
  auto* simulation = new Simulation;
  simulation->context.randReset(seed == 0 ? 0 : 2);
  simulation->context.randSeed(static_cast<int>(seed));
  simulation->context.assertOn(true);
  simulation->model = new MODEL{&simulation->context};
  return simulation;
}

void JOIN(FORM, _delete)(void* pointer) {
  auto* simulation = static_cast<Simulation*>(pointer);
  simulation->model->final();
  delete simulation->model;
  delete simulation;
}

// Sets the inputs, reads the outputs as they are before the clock's edge, and gives the edge.
void JOIN(FORM, _cycle)(void* pointer, Ports* ports, size_t engines, uint8_t reset) {
  auto* simulation = static_cast<Simulation*>(pointer);
  MODEL& model = *simulation->model;
  model.reset = reset;
  model.clk = 0;
  for (size_t e = 0; e < engines; e++) {
    put(model.s_axis_tvalid, e, 1, ports[e].in_valid);
    put(model.s_axis_tdata, e, 64, ports[e].in_data);
    put(model.s_axis_tkeep, e, 8, ports[e].in_keep);
    put(model.s_axis_tlast, e, 1, ports[e].in_last);
    put(model.s_axis_tid, e, 16, ports[e].in_id);
    put(model.s_axis_tdest, e, DEST_WIDTH, ports[e].in_dest);
    put(model.m_axis_tready, e, 1, ports[e].out_ready);
  }
  model.eval();
  for (size_t e = 0; e < engines; e++) {
    ports[e].in_ready = get(model.s_axis_tready, e, 1);
    ports[e].out_valid = get(model.m_axis_tvalid, e, 1);
    ports[e].out_data = get(model.m_axis_tdata, e, 64);
    ports[e].out_id = get(model.m_axis_tid, e, 16);
    ports[e].out_user = get(model.m_axis_tuser, e, 2);
  }
  model.clk = 1;
  model.eval();
  simulation->context.timeInc(1);
}
}
