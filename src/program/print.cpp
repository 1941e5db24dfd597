// The program for people: commands, and below them what each engine is set to.
#include "tcp/program/print.hpp"

#include <algorithm>
#include <set>

#include "program/slice_set.hpp"
#include "tcp/program/codes.hpp"
#include "tcp/program/fields.hpp"
#include "tcp/support/checked.hpp"

namespace tcp::program {

namespace {

/// The bits of a mask as a list: 0, 1.
std::string bits_of(std::uint32_t mask) {
  std::string out;
  for (int i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0) out += (out.empty() ? "" : ", ") + std::to_string(i);
  return out.empty() ? "none" : out;
}

std::string regions(const Program& p, const char* what, const std::vector<Region>& all) {
  std::string out;
  for (const Region& r : all) {
    const bool known = r.debug >= 0 && static_cast<std::size_t>(r.debug) < p.debug.tensors.size();
    std::string const name = known ? p.debug.tensors[static_cast<std::size_t>(r.debug)].name : "";
    out += std::string(what) + " " + (name.empty() ? "without a name" : name) + ": " + std::to_string(r.bytes) + " bytes of " +
           word(r.memory) + " at " + std::to_string(r.address) + "\n";
  }
  return out;
}

std::string ranges(const char* what, const std::vector<Range>& all) {
  std::string out;
  for (const Range& r : all)
    out += std::string("  ") + what + " " + word(r.memory) + " [" + std::to_string(r.begin) + ", " + std::to_string(r.end) + ") of " +
           print(r.units) + "\n";
  return out;
}

std::string head(const Program& p, const Command& c, std::size_t number) {
  std::string out = "command " + std::to_string(number);
  const DebugCommand* about = debug_of(p, c);
  if (about != nullptr && !about->name.empty()) out += ", " + about->name;
  out += ": " + print_resources(c.resources);
  if (std::string const at = about == nullptr ? "" : place_of(line_of(p, about->at)); !at.empty()) out += "; " + at;
  return out + "\n";
}

}  // namespace

std::string print(const std::vector<Loop>& loops) {
  std::string out = "[";
  for (const Loop& l : loops) out += (out.size() > 1 ? ", " : "") + std::to_string(l.size) + " : " + std::to_string(l.stride);
  return out + "]";
}

std::string print(const Sequencer& s) {
  std::string out = print(s.loops) + " @ " + std::to_string(s.base) + " / " + std::to_string(s.access_bytes);
  if (s.repeat_bits != 0) out += ", one element of " + std::to_string(s.repeat_bits) + " bits repeated";
  return out;
}

std::string print(const SliceSet& slices) {
  std::string const out = ranges_of(slices);
  return out.empty() ? "none" : out;
}

std::string print(const Units& u) {
  std::string out;
  if (u.chips.size() > 1) {
    out = "chip";
    for (std::size_t i = 0; i < u.chips.size(); ++i)
      if (u.chips[i]) out += " " + std::to_string(i);
    out += ", ";
  }
  return out + "cluster " + bits_of(u.clusters) + ", slices " + print(u.slices);
}

std::string print_resources(Resources resources) {
  std::string out;
  for (std::size_t i = 0; i < word_count<Resource>; ++i)
    if ((resources >> i & 1) != 0) out += (out.empty() ? "" : ", ") + std::string(words_of<Resource>[i]);
  return out.empty() ? "nothing" : out;
}

const DebugCommand* debug_of(const Program& p, const Command& c) {
  bool const known = c.debug >= 0 && static_cast<std::size_t>(c.debug) < p.debug.commands.size();
  return known ? &p.debug.commands[static_cast<std::size_t>(c.debug)] : nullptr;
}

const SourceLine* line_of(const Program& p, std::int32_t number) {
  bool const known = number >= 0 && static_cast<std::size_t>(number) < p.debug.lines.size();
  return known ? &p.debug.lines[static_cast<std::size_t>(number)] : nullptr;
}

std::string place_of(const SourceLine* at) {
  if (at == nullptr || at->line == 0) return "";
  return at->file.substr(at->file.rfind('/') + 1) + ":" + std::to_string(at->line);
}

std::string shape_of(const DebugTensor& t) {
  std::string out = std::string(word(t.type)) + " in " + name_of(t.memory);
  for (const DebugLevel& l : t.levels) out += " " + l.level + "[" + l.mapping + "]";
  return out;
}

std::string name_of(const Program& p, std::int32_t tensor) {
  const std::string& given = p.debug.tensors[static_cast<std::size_t>(tensor)].name;
  return given.empty() ? "%" + std::to_string(tensor) : given;
}

std::string print(const Program& p) {
  std::string out = "program " + p.name + " for " + p.chip + ", " + std::to_string(p.chips) + (p.chips == 1 ? " chip" : " chips") +
                    ", numbers as " + word(p.numeric) + "\n";
  out += regions(p, "argument", p.arguments) + regions(p, "result", p.results);
  for (std::size_t i = 0; i < p.tables.size(); ++i)
    out += "table " + std::to_string(i) + ": " + word(p.tables[i].from) + " to " + word(p.tables[i].to) + ", " +
           std::to_string(p.tables[i].bits.size()) + " values\n";
  for (std::size_t i = 0; i < p.commands.size(); ++i) {
    const Command& c = p.commands[i];
    auto const number = static_cast<std::int32_t>(i);
    if (std::binary_search(p.barriers.begin(), p.barriers.end(), number)) out += "\nbarrier\n";
    for (auto [at, end] = std::equal_range(p.loops.begin(), p.loops.end(), number); at != end; ++at) out += "\nloop\n";
    out += "\n" + head(p, c, i);
    for (const Setting& s : settings_of(c))
      out += "  " + s.stage + std::string(s.stage.size() < 12 ? 12 - s.stage.size() : 1, ' ') + " " + s.configuration + "\n";
    out += ranges("reads", c.reads) + ranges("writes", c.writes);
  }
  return out;
}

// How each engine is set, in words and in the book's form, with the reason a reader of the book would ask for.

namespace {

std::string number(std::int64_t v) { return std::to_string(v); }
std::string hex(std::uint64_t v) {
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  do out.insert(out.begin(), digits[v % 16]);
  while ((v /= 16) != 0);
  return "0x" + out;
}
std::string counted(std::int64_t n, const char* what) { return number(n) + " " + what + (n == 1 ? "" : "s"); }
/// Takes the name of a code; a number beyond its table is shown as it is.
std::string named(CodeNames names, std::size_t code) { return code < names.size() ? names[code] : "code " + std::to_string(code); }

std::string sizes(const std::vector<std::int64_t>& all) {
  std::string out = "[";
  for (std::int64_t n : all) out += (out.size() > 1 ? ", " : "") + number(n);
  return out + "]";
}
std::string rounds(const std::vector<TimeLoop>& all, const char* folded) {
  std::string out = "[";
  for (const TimeLoop& l : all) out += (out.size() > 1 ? ", " : "") + number(l.rounds) + (l.added ? folded : "");
  return out + "]";
}
std::string route(const std::vector<RouteStep>& all) {
  std::string out = "[";
  for (const RouteStep& s : all) {
    out += (out.size() > 1 ? ", " : "") + number(s.size) + " : (" + number(s.slice) + ", " + number(s.time) + ")";
    if (s.held < s.size) out += " held " + number(s.held);
  }
  return out + "]";
}

class Settings {
 public:
  std::vector<Setting> of(const Exec& e) {
    fetch(e);
    if (e.switching) switching(*e.switching);
    if (e.collect)
      add("collect", counted(e.collect->flits_per_packet, "flit") + " per packet of " + counted(e.collect->packet_bytes, "byte"),
          "a flit is what the engines take at once; zeros follow the packet's end");
    if (e.contraction) contraction(*e.contraction);
    if (e.vector) vector(*e.vector);
    if (e.cast) add("cast", std::string(word(e.cast->from)) + " to " + word(e.cast->to), "the Cast Engine converts every element");
    if (e.transpose) transpose(*e.transpose);
    std::visit([&](const auto& s) { this->sink(s, e); }, e.sink);
    return std::move(made_);
  }
  std::vector<Setting> of(const Dma& d) {
    std::set<std::int32_t> engines;
    for (const DmaDescriptor& each : d.descriptors) engines.insert(each.engine);
    for (const DmaDescriptor& each : d.descriptors) descriptor(d, each, engines.size());
    return std::move(made_);
  }
  std::vector<Setting> of(const Itos& i) {
    add("itos", hex(i.word) + " to Dm " + number(i.address) + walk(i) + " of " + print(i.units),
        "one word from the command itself, the same in all slices");
    return std::move(made_);
  }

 private:
  void add(std::string stage, std::string configuration, std::string why) {
    made_.push_back({std::move(stage), std::move(configuration), std::move(why)});
  }

  static std::string mask(const Mask& m) {
    return "mask " + sizes(m.loops) + ", last_dim " + number(m.last_dim) + ", left_pad " + number(m.left_pad) + ", valid_count " +
           sizes(m.valid_count) + (m.valid_count_dim >= 0 ? " by loop " + number(m.valid_count_dim) : "") + ", pad " + hex(m.pad_value);
  }
  void fetch(const Exec& e) {
    const Fetch& f = e.fetch;
    std::string text = print(f.read);
    if (f.stored != f.type) text += std::string(", ") + word(f.stored) + " to " + word(f.type);
    if (f.table >= 0) text += ", table " + number(f.table);
    if (!f.zero_points.empty()) text += ", zero points " + sizes(f.zero_points);
    if (f.turn_loop >= 0) text += ", loop " + number(f.turn_loop) + " turns to the other tensor";
    for (std::size_t i = 0; i < f.offsets.size(); ++i) {
      const UnitOffset& o = f.offsets[i];
      text += std::string(i == 0 ? "; further on by " : " + ") + word(o.of) + " / " + number(o.inside) + " % " + number(o.size) + " * " +
              number(o.stride);
    }
    if (f.mask) text += "; " + mask(*f.mask);
    std::string why = counted(f.read.packets, "packet") + " of " + counted(f.packet_elements, "element") + ", each in " +
                      number(f.read.accesses_per_packet) + (f.read.accesses_per_packet == 1 ? " access; " : " accesses; ") +
                      number(f.read.access_bytes) + " bytes are contiguous in memory and are read at once";
    if (f.read.repeat_bits != 0)
      why = counted(f.read.packets, "packet") + " that repeat one element, because the buffer has none of their axes";
    if (!f.offsets.empty()) why += "; units that hold copies read parts of their own, from where the table of a DMA says";
    if (f.mask) why += "; the mask replaces padding";
    add("fetch", std::move(text), std::move(why));
  }
  void switching(const Switch& s) {
    std::string text = std::string(word(s.topology)) + " slice1 " + number(s.slice1) + ", slice0 " + number(s.slice0) + ", time0 " +
                       number(s.time0) + ", ring of " + number(s.ring_size) + "; slices " + route(s.of_slice) + ", time " +
                       route(s.of_time);
    if (!s.snoop.empty()) text += "; slice 0 snoops " + print(s.snoop[0]);
    add("switch", std::move(text),
        s.snoop.empty() ? "every slice keeps its own packets"
                        : "each slice gets " + counted(s.time_out, "packet") + "; a round moves on by (slices, time steps) of the input");
  }
  void contraction(const Contraction& c) {
    const StreamAdapter& a = c.adapter;
    std::string text = "collect_flits " + number(a.collect_flits);
    if (a.transpose_rows > 1 || a.transpose_columns > 1)
      text += ", in-flit transpose " + number(a.transpose_rows) + " x " + number(a.transpose_columns);
    if (a.shift_stride != 0 || a.initial_shift != 0) text += ", shift from " + number(a.initial_shift) + " by " + number(a.shift_stride);
    text += ", tiles " + number(a.tiles) + ", shifts " + number(a.shifts) + ", pops " + number(a.pops) + "; TRF " + print(c.trf_loops) +
            " from " + number(c.trf_row_base) + " + " + number(c.trf_first) + ", " + number(c.trf_read_bytes) + " bytes" +
            (c.trf_repeats > 1 ? " repeated " + number(c.trf_repeats) : "") + ", " + counted(c.rows, "row");
    add("align", std::move(text),
        counted(c.steps, "step") + " in which " + word(c.type) + " of the stream meets " + word(c.weights) + " of the TRF, all rows alike");
    std::string tree = std::string(c.maximum ? "max" : "add") + ", tree_depth " + number(c.tree_depth);
    if (!c.zero_lanes.empty()) tree += ", " + counted(static_cast<std::int64_t>(c.zero_lanes.size()), "lane mask");
    add("contract", std::move(tree),
        "a tree of depth n folds 2^n neighbouring products" +
            std::string(c.zero_lanes.empty() ? "" : "; masked products are zero: padding"));
    add("accumulate",
        std::string(c.sequential ? "Sequential" : "Interleaved") + " " + rounds(c.loops, " added") + ", columns " + number(c.columns) +
            ", groups " + number(c.groups) + ", slots " + number(c.slots),
        "rounds over time; those that are added share an accumulator slot");
  }
  void vector(const Vector& v) {
    std::string text = v.floating ? "f32" : "i32";
    if (v.valid_count) text += "; " + valid_count(*v.valid_count) + " before step " + number(v.counted_before);
    add("vector_init", std::move(text),
        v.valid_count ? "the Valid Count Generator says how many first lanes of a flit hold data" : "all lanes count");
    for (const VectorStep& s : v.steps) std::visit([this](const auto& what) { this->step(what); }, s.what);
    add("vector_final", v.floating_out ? "f32" : "i32", "back to the pipeline");
  }
  static std::string valid_count(const ValidCount& c) {
    std::string out = "valid " + number(c.packet_valid) + " of " + number(c.lanes);
    for (const ValidCount::Counter& k : c.counters)
      out += ", counter " + number(k.limit) + " : " + number(k.stride) +
             (k.serves < 0    ? ""
              : k.serves == 0 ? " for the packet"
                              : " for gate " + number(k.serves - 1));
    for (const ValidCount::Gate& g : c.gates)
      out += ", gate slice & " + hex(g.mask) + " match " + hex(g.match) + " below " + number(g.valid) + (g.transposed ? " transposed" : "");
    return out;
  }
  /// Nothing for a single word.
  static std::string walk(const Itos& i) {
    return i.loops.empty() && i.bytes == 4 ? "" : ", " + counted(i.bytes, "byte") + " at a time, " + print(i.loops);
  }
  static std::string walk(const VrfWalk& w) { return "VRF " + print(w.loops) + " from " + number(w.address); }
  static std::string ids(std::uint16_t mask) { return mask == 0xffff ? "" : " for ids " + hex(mask); }
  static std::string source(const NoOperand&) { return "None"; }
  static std::string source(const Immediate& i) { return hex(i.bits); }
  static std::string source(const VrfWalk& w) { return walk(w); }
  static std::string source(const Stashed&) { return "Stash"; }
  static std::string operand(const OperandSlot& o) {
    return std::visit([](const auto& each) { return source(each); }, o.source) + ids(o.ids);
  }

  static std::string branch(const Unconditional&) { return "Unconditional"; }
  static std::string branch(const Toggle& t) {
    std::string out = "AxisToggle";
    for (const Toggle::Counter& c : t.counters)
      out += ", counter " + (c.within != 0 ? "% " + number(c.within) + " " : "") + "/ " + number(c.inside) + " % " + number(c.size) +
             " x " + number(c.weight);
    return out;
  }
  static std::string branch(const ByValidCount&) { return "ValidCount"; }
  static std::string branch(const Comparisons& all) {
    std::string out = "Comparison";
    for (const Comparison& c : all.each) out += std::string(", ") + word(c.kind) + " " + hex(c.boundary);
    return out;
  }
  static std::string branch(const VrfWalk& w) { return "Vrf, " + walk(w); }

  static std::string padding(const std::optional<std::uint32_t>& identity) { return identity ? ", padding holds " + hex(*identity) : ""; }

  void step(const BranchStep& b) {
    add("branch", std::visit([](const auto& by) { return branch(by); }, b.by),
        "gives every element its execution id, which operands are guarded by");
  }
  void step(const BranchLogStep& b) { add("branch_log", walk(b.to), "execution ids go to the VRF"); }
  void step(const ConvertStep& c) {
    add(c.to_float ? "fxp_to_fp" : "fp_to_fxp", "int_width " + number(c.int_width), "between fixed point and f32");
  }
  void step(const ReinterpretStep& r) {
    add("reinterpret", r.to_float ? "f32" : "i32", "the same bits; only what the steps after it take them for changes");
  }
  void step(const ReshapeStep& r) {
    bool const narrows = r.width == ReshapeStep::Width::Split || r.width == ReshapeStep::Width::Trim;
    add("reshape", word(r.width), std::string("flits of ") + (narrows ? "8 lanes become flits of 4" : "4 lanes become flits of 8"));
  }
  void step(const StashStep&) { add("stash", "", "kept as an operand of a later operation"); }
  void step(const WriteOperandStep& w) {
    add("write_operand", walk(w.to) + ids(w.ids), "elements go to the VRF, to be read at a later step");
  }
  void step(const UnzipStep& u) { add("unzip", "alternate " + counted(u.alternate, "packet"), "the two groups take turns"); }
  void step(const FilterStep& f) {
    add("filter", "keeps" + ids(f.ids) + (f.count_to ? ", count to " + walk(*f.count_to) : ""), "other elements are dropped");
  }
  void step(const IntraSliceReduceStep& r) {
    add("intra_slice_reduce",
        named(codes::reduces, r.op) + ", " + counted(r.slots, "slot") + ", time " + rounds(r.loops, " folded") +
            (r.tree ? ", lanes folded" : "") + padding(r.identity),
        "folds over time, and over lanes, inside each slice");
  }
  void step(const InterSliceReduceStep& r) {
    add("inter_slice_reduce",
        named(codes::reduces, r.op) + ", groups of " + counted(r.group_slices, "slice") + ", broadcast " + number(r.broadcast) +
            ", promoted " + number(r.promoted) + ", folding " + print(r.folded) + ", from step " + print(r.from_step) + padding(r.identity),
        "folds over slices, in their order");
  }
  void step(const OperateStep& s) {
    std::string text =
        named(operations_of(s.family), s.op) + " on " + named(codes::alus, s.alu) + ", arguments " + named(modes_of(s.family), s.mode);
    if (s.group != OperateStep::Group::Both) text += std::string(", group ") + word(s.group);
    for (const OperandSlot& o : s.operands) text += ", " + operand(o);
    add(word(s.family), std::move(text),
        s.operands.empty() ? "argument 0 is the stream"
                           : "argument 0 is the stream, 1 and 2 are operands; the first whose guard holds is taken");
  }
  void transpose(const Transpose& t) {
    add("transpose",
        number(t.matrices) + " x " + number(t.in_rows) + " x " + number(t.in_columns) + ", " + counted(t.packets_per_column, "packet") +
            " of " + number(t.elements_per_packet) + " a column, keeping " + number(t.kept_packets) + " of " + number(t.kept_elements) +
            (t.double_buffered ? ", double buffered" : ""),
        "columns go in, rows come out" + std::string(t.double_buffered ? "; one matrix is read while the next is written" : ""));
  }
  static std::string writers(const Exec& e) { return "slices " + print(e.writing) + " write"; }
  void sink(const Commit& c, const Exec& e) {
    if (c.cast)
      add(c.cast->relu ? "commit_cast_relu" : "commit_cast", std::string(word(c.cast->from)) + " to " + word(c.cast->to),
          std::string(c.cast->relu ? "what is negative becomes 0, then " : "") + "every element is converted on its way into DM");
    add("commit",
        print(c.write) + ", commit_in_size " + number(c.commit_in_size) + (c.pack_valid ? ", valid elements packed" : "") + "; " +
            writers(e),
        counted(c.write.packets, "packet") + " of " + word(c.type) + ", of whose flits the first " + counted(c.commit_in_size, "byte") +
            " are written, " + number(c.write.access_bytes) + " at once");
  }
  void sink(const TrfStore& t, const Exec& e) {
    add("to_trf",
        counted(t.rows, "row") + " of " + counted(t.row_bytes, "byte") + " from " + number(t.row_base) +
            (t.short_command ? ", StoTRF" : "") + "; " + writers(e),
        t.short_command ? "fetch and collect alone: the short command does it" : "the full path, because an engine is between");
  }
  void sink(const VrfStore& v, const Exec& e) {
    add("to_vrf", counted(v.bytes, "byte") + " from " + number(v.address) + "; " + writers(e),
        "kept beside the Vector Engine as an operand");
  }

  static std::string side(const DmaSide& s) {
    std::string out = word(s.memory);
    if (s.memory != Memory::Host) out += " of chip " + number(s.chip);
    if (s.memory == Memory::Dm) out += ", cluster " + number(s.cluster) + ", slice " + number(s.unit);
    if (s.memory == Memory::Spm) out += ", cluster " + number(s.cluster) + ", PE " + number(s.unit);
    return out + " at " + number(s.address);
  }
  void descriptor(const Dma& dma, const DmaDescriptor& d, std::size_t engines) {
    std::string loops = "[";
    Checked packets = 1;
    for (const DmaLoop& l : d.loops) {
      loops += (loops.size() > 1 ? ", " : "") + number(l.size) + " : (" + number(l.read_stride) + ", " + number(l.write_stride) +
               (!d.index ? "" : ", " + number(l.index_stride)) + ")";
      packets = packets * l.size;
    }
    std::string text =
        "engine " + number(d.engine) + ": " + loops + "], stride0 " + number(d.packet_bytes) + "; " + side(d.read) + " to " + side(d.write);
    if (d.index)
      text += std::string("; ") + (d.index->scatter ? "writes" : "reads") + " row n of " + number(d.index->rows) + ", " +
              number(d.index->row_stride) + " bytes apart, n from " + side(d.index->table) +
              (d.index->key_step == 1 ? "" : ", in steps of " + number(d.index->key_step));
    add(dma.pcie ? "pcie" : "dma", std::move(text),
        (packets.fits ? counted(packets.value, "packet") : "packets") + " of " + counted(d.packet_bytes, "byte") +
            "; each loop steps (read, write" + (!d.index ? "" : ", table") + ") together; " +
            counted(static_cast<std::int64_t>(engines), "engine") + " at the same time");
  }

  std::vector<Setting> made_;
};

}  // namespace

std::vector<Setting> settings_of(const Command& command) {
  return std::visit([](const auto& what) { return Settings().of(what); }, command.what);
}

}  // namespace tcp::program
