// The Tensor Unit's pipeline as types: a stream on its way from the Fetch Engine to its sink.
//
//   ctx.main.begin(dm.view())
//       .fetch<i32, m<1>, m<A % 8>>()
//       .collect<m<1>, m<A % 8>>()
//       .vector_init()
//       .vector_intra_slice_branch(BranchMode::Unconditional)
//       .vector_fxp(FxpBinaryOp::AddFxp, 1)                        a constant
//       .vector_clip(ClipBinaryOpI32::Max, vrf)                    a VRF tensor, or Stash
//       .vector_final()
//       .commit<m<A % 8>>(0);
//
// The type of a stream holds where it is (PassState, rules/pass_state.hpp), its mappings, and what was stashed. So a
// stage out of order, a second use of an ALU, a missing narrow do not compile. A stream inherits one Method for each
// call that can follow it: an editor offers those after the point, and nothing else; every other call is refused with
// an error that says why. In two-group mode (vector_intra_slice_unzip) operations take one argument for each group,
// `skip` for none, until a `_zip` operation makes one stream of the two.
//
// A stream is consumed by its next stage: methods are for temporaries (&&), and a kept end that was used already is
// refused when the kernel runs. What a stage declares is compared without kinds of padding; the resulting type has the
// kinds that the padding really has.
#pragma once

#include "tcp/dsl/methods.hpp"

namespace tcp {

/// Which context a stream runs in.
struct OnMain {
  static constexpr Tu context = Tu::Main;
  static constexpr bool dual = false;
};
struct OnSub {
  static constexpr Tu context = Tu::Sub;
  static constexpr bool dual = false;
};
/// Main with both channels of the switch; the sub context is then occupied.
struct OnMainDual {
  static constexpr Tu context = Tu::Main;
  static constexpr bool dual = true;
};

namespace detail {
template <class On, ScalarType Type, StreamStage After, ContractOp Op = ContractOp::Add, VectorState Vector = VectorState{}>
inline constexpr PassState state_of{On::context, On::dual, After, Type, Op, Vector};

template <class On, class T, class Turns>
using BeginPass = Pass<state_of<On, T::Type::type, StreamStage::Begin>, typename T::Chip, typename T::Cluster, typename T::Slice, m<1>,
                       m<1>, m<1>, NoTensor, typename T::Element, Turns>;

template <class Pass>
class [[nodiscard]] BegunPass : public Methods<Pass, offers(Pass::state, Pass::TurnsAxis::name() != Name{}, true)> {
 public:
  constexpr explicit BegunPass(End end) { this->end_ = end; }
};
}  // namespace detail

/// The begin of a pass: a DM view, or two that take turns.
template <class On, class T, class Turns = detail::NoTurns>
using BeginTensor = detail::BegunPass<detail::BeginPass<On, T, Turns>>;

/// A stream after any of the stages.
template <PassState S, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet,
          class Kept = detail::NoTensor>
class [[nodiscard]] StreamTensor
    : public detail::Methods<detail::Pass<S, Chip, Cluster, Slice, Row, Time, Packet, Kept>, detail::offers(S, false, Row::size == 1)> {
 public:
  constexpr explicit StreamTensor(detail::End end) { this->end_ = end; }
};

// The book's names of the streams between the stages.

template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using FetchTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Fetch>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using SwitchTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Switch>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using CollectTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Collect>, Chip, Cluster, Slice, m<1>, Time, Packet>;
/// The weights have the stream's type, or one that shares its multiplier.
template <class On, Scalar D, Scalar Weights, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet>
using AlignedPair = StreamTensor<detail::state_of<On, D::type, StreamStage::Align>, Chip, Cluster, Slice, Row, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Row, MapType Time, MapType Packet, ContractOp Op>
using ContractionTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Contract, Op>, Chip, Cluster, Slice, Row, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using AccumulationTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Contraction>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet, VectorState State,
          class Kept = detail::NoTensor>
using VectorTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::VectorEngine, ContractOp::Add, State>, Chip, Cluster, Slice,
                                  m<1>, Time, Packet, Kept>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using VectorFinalTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Vector>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using CastTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Cast>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using TransposeTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::Transpose>, Chip, Cluster, Slice, m<1>, Time, Packet>;
template <class On, Scalar D, MapType Chip, MapType Cluster, MapType Slice, MapType Time, MapType Packet>
using CommitCastTensor = StreamTensor<detail::state_of<On, D::type, StreamStage::CommitCast>, Chip, Cluster, Slice, m<1>, Time, Packet>;

}  // namespace tcp
