// The program as a whole, its commands, transfers and tables.
#include "tcp/program/check.hpp"

#include "program/checker.hpp"
#include "program/slice_set.hpp"
#include "tcp/device/derived.hpp"
#include "tcp/program/fields.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::program {

namespace {

// A device that is held to no geometry has memories of any size.
constexpr std::int64_t unlimited = std::int64_t{1} << 56;

}  // namespace

std::string Checker::way(const char* name) const {
  std::string out;
  for (const Step& s : way_) {
    out += (out.empty() ? "" : ".") + std::string(s.name);
    if (s.index != Inside::none) out += "[" + std::to_string(s.index) + "]";
  }
  if (*name != '\0') out += (out.empty() ? "" : ".") + std::string(name);
  return out.substr(0, 120);
}

void Checker::number(const char* name, std::int64_t v, std::int64_t least, std::int64_t most) {
  if (v >= least && v <= most) return;
  Refusal r = refuse("program-number-out-of-range").what(way(name), " is ", v, ", but must be ");
  if (most == any) r.what("at least ", least);
  else r.what("from ", least, " to ", most);
  stop(r.why("the hardware of ", device_.name.view(), " has no such setting").help("compile the program again for this chip"));
}

void Checker::one_of(const char* name, std::int64_t v, const OneOf<std::int64_t>& offered) {
  if (offered.contains(v)) return;
  Refusal r = refuse("program-size-unavailable").what(way(name), " is ", v, ", but must be ");
  for (int i = 0; i < offered.count; ++i) r.what(i == 0 ? "" : i + 1 < offered.count ? ", " : " or ", offered.item[i]);
  stop(r.why("an engine of ", device_.name.view(), " moves these sizes and no others").help("compile the program again for this chip"));
}

void Checker::one_of(const char* name, std::int64_t v, const OneOf<Bytes>& offered) {
  OneOf<std::int64_t> numbers;
  for (Bytes each : offered) numbers.item[numbers.count++] = each.value;
  one_of(name, v, numbers);
}

void Checker::power_of_two(const char* name, std::int64_t v, std::int64_t most) {
  if (v >= 1 && v <= most && (v & (v - 1)) == 0) return;
  stop(refuse("program-size-unavailable")
           .what(way(name), " is ", v, ", but must be 1, 2, 4 and so on up to ", most)
           .why("the hardware of ", device_.name.view(), " is halved, and halved again")
           .help("compile the program again for this chip"));
}

void Checker::multiple(const char* name, Checked v, std::int64_t unit) {
  if (v.fits && v.value % unit == 0) return;
  Refusal r = refuse("program-not-a-multiple").what(way(name), " ");
  if (v.fits) r.what("is ", v.value);
  else r.what("is beyond 64 bits");
  stop(r.what(", but must be a multiple of ", unit)
           .why("the hardware of ", device_.name.view(), " moves whole units of ", unit)
           .help("compile the program again for this chip"));
}

void Checker::index(const char* name, std::int64_t v, std::int64_t least, std::size_t count) {
  if (v >= least && v < static_cast<std::int64_t>(count)) return;
  stop(refuse("program-index-out-of-range")
           .what(way(name), " is ", v, ", but there are ", count, " to choose from")
           .why("it names an item of a list by its number, from 0 on", least < 0 ? "; -1 names none" : "")
           .help("compile the program again"));
}

void Checker::reach(const char* name, const char* memory, Reach r, std::int64_t capacity) {
  if (r.fits() && r.low.value >= 0 && r.high.value <= capacity && r.low.value <= r.high.value) return;
  Refusal no = refuse("program-address-out-of-range").what(way(name), " ");
  if (r.fits()) no.what("touches the bytes from ", r.low.value, " to ", r.high.value, " of ", memory, ", which has ", capacity);
  else no.what("touches bytes of ", memory, " at addresses beyond 64 bits");
  stop(no.why("a walk must stay inside its memory, from its first access to its last").help("compile the program again for this chip"));
}

std::int64_t Checker::capacity(Memory memory) const {
  if (!geometry()) return unlimited;
  switch (memory) {
    case Memory::Host: return unlimited;
    case Memory::Hbm: return device_.hbm.capacity.value;
    case Memory::Dm: return device_.dm.slice_capacity.value;
    case Memory::Spm: return device_.spm.pe_capacity.value;
    case Memory::Trf: return device_.trf.slice_capacity.value;
    case Memory::Vrf: return device_.vrf.slice_capacity.value;
  }
  return 0;
}

void Checker::reach(const char* name, Memory memory, Reach r) { reach(name, word(memory), r, capacity(memory)); }

void Checker::slices(const char* name, const SliceSet& s) {
  std::int64_t const count = geometry() ? device_.levels.slices_per_cluster : slices_in_a_set;
  for (std::int64_t i = count; i < slices_in_a_set; ++i)
    if (s.contains(i))
      return stop(refuse("program-unit-unknown")
                      .what(way(name), " has slice ", i, ", but a cluster of ", device_.name.view(), " has ", count)
                      .why("no unit would do its part")
                      .help("compile the program again for this chip"));
}

void Checker::units(const char* name, const Units& u) {
  Inside const inside(*this, name);
  same("chips", static_cast<std::int64_t>(u.chips.size()), "the number of chips", std::int64_t{program_.chips});
  std::int64_t const clusters = geometry() ? device_.levels.clusters_per_chip : 32;
  if (clusters < 32 && u.clusters >> clusters != 0)
    return stop(refuse("program-unit-unknown")
                    .what(way("clusters"), " is ", u.clusters, ", a bit a cluster, but a chip of ", device_.name.view(), " has ", clusters)
                    .why("no unit would do its part")
                    .help("compile the program again for this chip"));
  slices("slices", u.slices);
}

void Checker::same(const char* name, Checked v, const char* other, Checked w) {
  if (v.fits && w.fits && v.value == w.value) return;
  Refusal r = refuse("program-counts-disagree").what(way(name), " and ", other, " must be equal, but ");
  if (v.fits && w.fits) r.what("are ", v.value, " and ", w.value);
  else r.what("are beyond 64 bits");
  stop(r.why("two engines that count differently wait for each other forever").help("compile the program again"));
}

void Checker::all() {
  if (program_.chip != device_.name.view())
    return stop(refuse("program-other-chip")
                    .what("the program was made for the chip '", program_.chip.substr(0, 60), "', not for '", device_.name.view(), "'")
                    .why("addresses and register settings are those of one chip")
                    .help("compile it again with --chip ", device_.name.view(), ", or run it on the other chip"));
  number("chips", program_.chips, 1, 4096);
  each("tables", program_.tables, [this](const Table& t) { table(t); });
  each("commands", program_.commands, [this](const Command& c) { command(c); });
  std::int64_t after = 0;  // a barrier before the first command would hold nothing
  each("barriers", program_.barriers, [&](std::int32_t b) {
    number("command", b, after + 1, static_cast<std::int64_t>(program_.commands.size()) - 1);
    after = b;
  });
  after = 0;
  each("loops", program_.loops, [&](std::int32_t b) {
    number("command", b, after, static_cast<std::int64_t>(program_.commands.size()) - 1);
    after = b;
  });
  each("arguments", program_.arguments, [this](const Region& r) { region(r); });
  each("results", program_.results, [this](const Region& r) { region(r); });
  Inside const inside(*this, "debug");
  debug_section(program_.debug);
}

void Checker::debug_section(const Debug& d) {
  auto const line = [&](std::int32_t at) { index("at", at, -1, d.lines.size()); };
  each("tensors", d.tensors, [&](const DebugTensor& t) { line(t.at); });
  each("commands", d.commands, [&](const DebugCommand& c) {
    line(c.at);
    for (std::int32_t source : c.sources) index("sources", source, 0, d.tensors.size());
    if (c.destination) index("destination", *c.destination, 0, d.tensors.size());
    if (c.rows) index("rows", *c.rows, 0, d.tensors.size());
    if (c.region) index("region", *c.region, 0, d.regions.size());
    each("stages", c.stages, [&](const DebugStage& s) { line(s.at); });
  });
}

void Checker::table(const Table& t) {
  same("bits", static_cast<std::int64_t>(t.bits.size()), "the number of values of its type", std::int64_t{1} << scalar_info(t.from).bits);
}

void Checker::region(const Region& r) {
  number("memory", static_cast<std::int64_t>(r.memory), 0, static_cast<std::int64_t>(Memory::Dm));
  number("bytes", r.bytes, 0);
  number("address", r.address, 0, unlimited);
  index("debug", r.debug, -1, program_.debug.tensors.size());
}

void Checker::command(const Command& c) {
  number("resources", c.resources, 1, (std::int64_t{1} << word_count<Resource>)-1);
  index("debug", c.debug, -1, program_.debug.commands.size());
  if (const auto* e = std::get_if<Exec>(&c.what)) {
    Inside const what(*this, "Exec");
    exec(*e);
  } else if (const auto* d = std::get_if<Dma>(&c.what)) {
    Inside const what(*this, "Dma");
    dma(*d);
  } else {
    Inside const what(*this, "Itos");
    itos(std::get<Itos>(c.what));
  }
  each("reads", c.reads, [this](const Range& r) { range(r); });
  each("writes", c.writes, [this](const Range& r) { range(r); });
}

void Checker::range(const Range& r) {
  units("units", r.units);
  reach("", r.memory, {r.begin, r.end});
  if (r.buffer_begin != 0 || r.buffer_end != 0) reach("buffer", r.memory, {r.buffer_begin, r.buffer_end});
}

void Checker::itos(const Itos& i) {
  units("units", i.units);
  one_of("bytes", i.bytes, OneOf<std::int64_t>{1, 2, 4});
  loops(i.loops);
  if (!ok()) return;
  reach("address", Memory::Dm, reach_of(i.address, i.loops, i.bytes));
}

void Checker::dma(const Dma& d) {
  each("descriptors", d.descriptors, [this](const DmaDescriptor& each_one) { descriptor(each_one); });
}

void Checker::descriptor(const DmaDescriptor& d) {
  number("engine", d.engine, 0, geometry() ? program_.chips * device_.dma.engines_per_chip - 1 : any);
  number("packet_bytes", d.packet_bytes, 1, geometry() ? device_.dma.packet_limit.value : any);
  at_most("loops", d.loops, device_.sequencer.entries);
  std::vector<Loop> reading, writing, looking;
  each("loops", d.loops, [&](const DmaLoop& l) {
    number("size", l.size, 1, device_.sequencer.iterations);
    reading.push_back({l.size, l.read_stride});
    writing.push_back({l.size, l.write_stride});
    looking.push_back({l.size, l.index_stride});
  });
  if (!ok()) return;
  Reach read = reach_of(d.read.address, reading, d.packet_bytes), write = reach_of(d.write.address, writing, d.packet_bytes);
  if_there("index", d.index, [&](const DmaIndex& i) {
    number("rows", i.rows, 1);
    number("key_step", i.key_step, 1);
    side("table", i.table, reach_of(i.table.address, looking, 4));
    Loop const row{i.rows, i.row_stride};
    Reach& moved = i.scatter ? write : read;
    (row.stride < 0 ? moved.low : moved.high) = (row.stride < 0 ? moved.low : moved.high) + (Checked(row.size) - 1) * row.stride;
  });
  side("read", d.read, read);
  side("write", d.write, write);
  if (device_.checks.dma_alignment && d.write.memory == Memory::Dm) aligned(d);
}

/// Rows of DM are written as a whole; what comes from HBM is read in the same units.
void Checker::aligned(const DmaDescriptor& d) {
  bool const from_hbm = d.read.memory == Memory::Hbm;
  std::int64_t const unit = (from_hbm ? device_.dma.hbm_to_dm_alignment : device_.dm.write_alignment).value;
  multiple("packet_bytes", d.packet_bytes, unit);
  multiple("write.address", d.write.address, unit);
  if (from_hbm) multiple("read.address", d.read.address, unit);
  each("loops", d.loops, [&](const DmaLoop& l) {
    multiple("write_stride", l.write_stride, unit);
    if (from_hbm) multiple("read_stride", l.read_stride, unit);
  });
}

void Checker::side(const char* name, const DmaSide& s, Reach r) {
  Inside const inside(*this, name);
  number("chip", s.chip, 0, program_.chips - 1);
  number("cluster", s.cluster, 0, geometry() ? device_.levels.clusters_per_chip - 1 : 31);
  number("memory", static_cast<std::int64_t>(s.memory), 0, static_cast<std::int64_t>(Memory::Spm));
  bool const in_dm = s.memory == Memory::Dm, in_spm = s.memory == Memory::Spm;
  std::int64_t const units = in_dm ? device_.levels.slices_per_cluster : in_spm ? device_.levels.pes_per_cluster : 1;
  number("unit", s.unit, 0, geometry() ? units - 1 : any);
  if (!in_dm && !in_spm) return reach("address", s.memory, r);
  // The slices of a cluster lie one after the other, and so do its PEs.
  std::int64_t const apart = in_dm ? device_.dm.dma_slice_stride.value : dma_pe_stride(device_).value;
  Checked const first = Checked(s.unit) * apart;
  reach("address", word(s.memory), {r.low + first, r.high + first}, geometry() ? units * apart : unlimited);
}

Verdict check(const Program& program, const Device& device) {
  Checker checker(program, device);
  checker.all();
  if (!checker.ok()) return checker.refusal();
  return accept();
}

}  // namespace tcp::program
