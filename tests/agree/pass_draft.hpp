// A pass of a program while it is being made: the stream as it is now, and the stages that families have in common.
#pragma once

#include <optional>

#include "draft.hpp"
#include "tcp/rules/fetch.hpp"

namespace tcp::agree {

class PassDraft {
 public:
  PassDraft(Draft& draft, Tu context, ir::TensorId source);

  Draft& d;
  ir::Pass pass;
  Levels at{};  // of the stream
  ScalarType type;
  StreamStage stage_now = StreamStage::Fetch;

  const Mapping& time() const { return at[Level::time]; }
  const Mapping& packet() const { return at[Level::packet]; }
  const Mapping& slice() const { return at[Level::slice]; }
  const Device& device() const { return *d.program.device; }

  /// Another stage; the stream behind it is what `at` and `type` say.
  template <class What>
  void stage(What what) {
    ir::Stage s;
    s.what = std::move(what);
    s.out = {type,         d.id(at[Level::chip]), d.id(at[Level::cluster]), d.id(at[Level::slice]), d.id(at[Level::row]),
             d.id(time()), d.id(packet())};
    pass.stages.push_back(std::move(s));
  }
  void fetch(ScalarType to, const Mapping& time, const Mapping& packet, ir::Fetch how = {});
  void some_switch();
  /// False: the packet cannot be cut into flits.
  bool collect();
  /// What the Vector Engine does to a flit of i32 or f32, from vector_init to vector_final.
  void vector();
  void some_cast();
  /// A cast at the commit, which is to follow.
  void some_commit_cast();
  void some_transpose();
  /// Writes the stream to a new DM tensor, laid out at random, and gives it.
  ir::TensorId commit();
  /// Stores the stream in a new VRF tensor, if there it can be observed beside `beside`, and gives it; else nothing happens.
  ir::TensorId to_vrf(const PassDraft& beside);

  /// A VRF tensor that a pass before this one fills, to be read beside this stream. `own`: each slice has its own part of it.
  ir::TensorId operand_tensor(ScalarType of, Fill fill, bool own = false);

  // VRF tensors that this pass writes on its way.
  ir::TensorId logged = ir::none, written = ir::none, counted = ir::none;
  bool reduced = false;  // the Vector Engine has folded it within slices

 private:
  /// The stream in a narrower type that it can be cast to, if there is one.
  bool narrowed();
  /// Some steps of the stream left to one element of an operand; false: there is no such operand here.
  bool coarsen(Box& box);
  bool regular_switch(Topology topology);
  bool custom_switch();
  bool switch_to(const SwitchConfig& config, const Mapping& slice, const Mapping& time);
  Mapping copies_of(std::int64_t n);
};

/// More passes of a stream, which look at VRF tensors that a pass of it has written.
void observe_written(const PassDraft& stream, ir::TensorId logged, ir::TensorId written, ir::TensorId counted);

}  // namespace tcp::agree
