// The totals that the book works out. Its DMA examples are records; passes are written in its notation and lowered.
#include "book/lower/one_pass.hpp"
#include "references.hpp"
#include "unit/sched/records.hpp"

namespace tcp::accuracy {

namespace {

using lower::Mover;
using program::Engine;
using sched::descriptor;

constexpr std::int64_t slice_stride = 4 << 20, dmn_stride = 32 * slice_stride;

program::Dma one(program::DmaDescriptor d) { return {false, false, {std::move(d)}}; }
MakeProgram of(program::Dma d) {
  return [d = std::move(d)] { return sched::program_of({sched::command_of(d)}); };
}
MakeProgram of(program::Exec e) {
  return [e = std::move(e)] { return sched::program_of({sched::command_of(e)}); };
}

program::Dma all_engines(const std::vector<program::DmaLoop>& loops) {
  program::Dma d;
  for (std::int32_t i = 0; i < 8; ++i)
    d.descriptors.push_back(descriptor(i, sched::hbm((std::int64_t{i / 4} << 20) + (std::int64_t{i % 4} << 18)),
                                       sched::dm(i / 4, 64 * (i % 4), 0), loops, 256));
  return d;
}
/// Sixteen rows for each of three engines, fifteen for the last, which takes two descriptors.
program::Dma uneven_store() {
  program::Dma d;
  for (std::int32_t k = 0; k < 3; ++k)
    d.descriptors.push_back(descriptor(k, sched::dm(0, 64 * k, 0), sched::hbm(1024 * k),
                                       {{2, 256, 256}, {32, slice_stride, 15 * 256}, {2, dmn_stride, 512}}, 256));
  d.descriptors.push_back(descriptor(3, sched::dm(0, 192, 0), sched::hbm(3072), {{2, 256, 256}, {32, slice_stride, 15 * 256}}, 256));
  d.descriptors.push_back(descriptor(3, sched::dm(0, 224, 0), sched::hbm(3072 + 512), {{32, slice_stride, 15 * 256}}, 256));
  return d;
}

program::Exec full_reduction() {
  program::Contraction c;
  c.steps = 8;
  c.loops = {{8, true}};
  c.trf_read_bytes = 64;
  program::Exec e = sched::copy_pass(8, 32, 2, ScalarType::bf16);
  e.dual = true;
  e.contraction = {c};
  program::InterSliceReduceStep fold;
  fold.group_slices = 256;
  e.vector.emplace();
  e.vector->steps = {{fold, 1}};
  e.sink = program::VrfStore{0, 32};
  return e;
}
program::Exec tail(std::int64_t row, std::int64_t packet) {
  std::string const padded = "A # " + std::to_string(row), n = std::to_string(packet);
  Mover m{"A = 65, B = 2", "B, " + padded, "B, " + padded + " / " + n, padded + " % " + n, "", padded + " % " + n + " # 32",
          "B, " + padded};
  m.stored = m.type = ScalarType::f8e4m3;
  return m.exec();
}
program::Exec transposed(ScalarType type, const Mover& shape) {
  Mover m = shape;
  m.stored = m.type = type;
  return m.exec();
}
Mover transpose(std::string axes, std::string slice, std::string time, std::string packet, std::string flit, std::string to_time,
                std::string to_packet) {
  Mover m{std::move(axes), time + ", " + packet, time, packet, "", std::move(flit)};
  m.slice = std::move(slice);
  m.transposed_time = std::move(to_time);
  m.transposed_packet = std::move(to_packet);
  return m;
}

/// What one engine of a pass takes, were it alone; only the book's own forms say that.
Reference engine_alone(std::string name, double figure, Engine engine, program::Exec e) {
  auto const ours = [engine, e = std::move(e)](const Device& device, Model model) {
    return model == Model::Book ? static_cast<double>(sched::cycles_of(sched::book::pass_cost(device, e), engine)) : 0;
  };
  return {std::move(name), figure, {}, ours};
}
Reference total(std::string name, double figure, MakeProgram program) { return {std::move(name), figure, std::move(program), {}}; }

program::Exec ring(std::int64_t size, std::int64_t time, std::int64_t flits) {
  program::Exec e = sched::copy_pass(time, 32, flits);
  e.switching.emplace();
  e.switching->topology = program::Topology::CustomBroadcast;
  e.switching->ring_size = size;
  e.switching->time_out = time;
  return e;
}

}  // namespace

const std::vector<Reference>& book_totals() {
  using enum ScalarType;
  using sched::dm, sched::hbm;
  static const std::vector<Reference> all = {
      total("DMA-30: 8 x 8 x 256 B within HBM", 628, of(one(descriptor(0, hbm(0), hbm(16384), {{8, 2048, 256}, {8, 256, 2048}}, 256)))),
      total("DMA-34: 256 x 256 x 256 B from HBM to a PE", 66036,
            of(one(descriptor(0, hbm(0), dm(0, 0, 0),
                              {{256, 65536, 256}, {4, 256, 65536}, {32, 1024, slice_stride}, {2, 32768, dmn_stride}}, 256)))),
      total("DMA-36: the same within DM", 131572,
            of(one(descriptor(0, dm(0, 0, 0), dm(0, 0, 4 * 256 * 256),
                              {{256, 256, 1024}, {4, 65536, 256}, {32, slice_stride, slice_stride}, {2, dmn_stride, dmn_stride}}, 256)))),
      total("DMA-40: rows of HBM switched", 655860,
            of(all_engines({{256, 1024, 1024}, {4, 256, 256}, {32, 1 << 21, slice_stride}, {2, 1 << 26, dmn_stride}}))),
      total("DMA-43: one stack of two", 1857, of(all_engines({{8, 512, 256}, {32, 4096, slice_stride}, {2, 131072, dmn_stride}}))),
      total("DMA-46: a tail that takes two descriptors", 1192, of(uneven_store())),
      total("CTR-080: full reduction, 8 + 5 + 256", 269, of(full_reduction())),
      total("KER-62: tail of 72 B, packets of 24", 18, of(tail(72, 24))),
      total("KER-63: tail of 80 B, packets of 16", 10, of(tail(80, 16))),
      total("KER-64: tail of 88 B, packets of 8", 22, of(tail(88, 8))),
      total("KER-65: tail of 96 B, packets of 32", 6, of(tail(96, 32))),
      engine_alone("SWI-48: ring of 4, Time 64, two flits", 512, Engine::Switch, ring(4, 64, 2)),
      engine_alone("TRA-22: transpose of i8", 72, Engine::Transpose,
                   transposed(i8, transpose("P = 256, C = 8, D = 8, E = 8", "P", "C, D", "E", "E # 32", "C, E", "D # 32"))),
      engine_alone("TRA-23: transpose of 4 x 2", 6, Engine::Transpose,
                   transposed(i8, transpose("P = 64, A = 4, B = 2", "P # 256", "A", "B # 8", "B # 32", "B", "A # 32"))),
      engine_alone("TRA-24: transpose, one buffer", 128, Engine::Transpose,
                   transposed(i8, transpose("P = 256, B = 2, C = 8, D = 4, E = 8", "P", "B, C, D", "E", "E # 32", "B, D, E", "C # 32"))),
      engine_alone("TRA-25: transpose of bf16", 68, Engine::Transpose,
                   transposed(bf16, transpose("P = 256, C = 8, D = 4, E = 8", "P", "C, D", "E", "E # 16", "C, E", "D # 16"))),
  };
  return all;
}

}  // namespace tcp::accuracy
