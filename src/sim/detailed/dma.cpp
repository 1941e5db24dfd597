// The engines of a DMA command, cycle by cycle: requests are sent, come back from HBM or the banks of DM, and are
// written; every cycle is put into an account that says what the engine waited for.
#include "sim/detailed/dma.hpp"

#include <algorithm>

#include "tcp/device/derived.hpp"
#include "tcp/support/round.hpp"

namespace tcp::sim {

namespace {

using program::Memory;
using program::Stall;

bool same_medium(const program::DmaDescriptor& d) {
  if (d.read.memory != d.write.memory || d.read.chip != d.write.chip) return false;
  return d.read.memory == Memory::Hbm || d.read.cluster == d.write.cluster;
}
bool crosses_pcie(const program::DmaDescriptor& d) {
  return d.read.chip != d.write.chip || d.read.memory == Memory::Host || d.write.memory == Memory::Host;
}

/// What an engine's cycles go into.
enum class Account : std::uint8_t { startup, streaming, hbm, dmn, banks, turns, pcie };
constexpr std::size_t accounts = 7;

/// Requests of one side of a descriptor.
class Requests {
 public:
  Requests() = default;
  Requests(const Device& device, const program::DmaDescriptor& d, bool write)
      : side_(write ? d.write : d.read), request_(device.dma.request_bytes.value), packet_(d.packet_bytes) {
    std::vector<OdometerLoop<2>> steps;
    for (const program::DmaLoop& l : d.loops) {
      steps.push_back({l.size, {write ? l.write_stride : l.read_stride, l.index_stride}});
      packets_ *= l.size;
    }
    walk_ = walk_of<2>(steps);
    if (d.index && d.index->scatter == write) {
      rows_ = d.index->rows;
      row_stride_ = d.index->row_stride;
    }
    base_ = side_.address;
    if (side_.memory == Memory::Dm) base_ += side_.unit * device.dm.dma_slice_stride.value;
    if (side_.memory == Memory::Spm) base_ += side_.unit * dma_pe_stride(device).value;
  }

  const program::DmaSide& side() const { return side_; }
  std::int64_t count() const { return packets_ * ceil_div(packet_, request_); }
  std::int64_t address() const { return base_ + walk_.at(0) + row() + inside_; }
  std::int64_t bytes() const { return std::min(request_, packet_ - inside_); }
  void next() {
    inside_ += request_;
    if (inside_ < packet_) return;
    inside_ = 0;
    walk_.next();
  }

 private:
  std::int64_t row() const { return rows_ > 0 ? walk_.at(1) / 4 % rows_ * row_stride_ : 0; }

  program::DmaSide side_;
  std::int64_t request_ = 1, packet_ = 0, packets_ = 1, base_ = 0, inside_ = 0;
  std::int64_t rows_ = 0, row_stride_ = 0;
  Odometer<2> walk_;
};

void add(HbmChannelStats& sum, const HbmChannelStats& s, std::int64_t sign) {
  sum.busy += s.busy * sign;
  sum.row_stall += s.row_stall * sign;
  sum.partial_write_stall += s.partial_write_stall * sign;
}

}  // namespace

Media::Media(const Device& device, std::int64_t chips, HbmOrder order, Banks& banks)
    : device_(device), order_(order), banks_(banks), hbm_(static_cast<std::size_t>(chips)) {
  Ratio const unit = hbm_access_cycles(device);
  every_ = std::max<std::int64_t>(unit.num / unit.den, 1);
}

std::uint64_t Media::enter(Engine& engine) {
  if (free_.empty()) {
    engines_.push_back(&engine);
    return engines_.size() - 1;
  }
  std::uint64_t const number = free_.back();
  free_.pop_back();
  engines_[number] = &engine;
  return number;
}

void Media::leave(std::uint64_t number) {
  engines_[number] = nullptr;
  free_.push_back(number);
}

Hbm& Media::hbm(std::int32_t chip) {
  std::optional<Hbm>& h = hbm_[static_cast<std::size_t>(chip)];
  HbmObserver* const heard = this;
  if (!h) h.emplace(device_, order_, heard);
  return *h;
}

void Media::route(std::uint64_t tag, std::int64_t at) {
  constexpr std::uint64_t request_bits = (std::uint64_t{1} << 40) - 1;
  engines_[tag >> 41]->answered(tag >> 1 & request_bits, (tag & 1) != 0, at);
}

void Media::done(std::uint64_t tag, Cycles at) {
  --open_;
  route(tag, at.value);
}

void Media::advance(std::int64_t now) {
  if (now < next_ || open_ == 0) return;
  next_ = now + every_;
  for (std::optional<Hbm>& h : hbm_)
    if (h) h->advance(Cycles{now});
}

std::vector<std::vector<HbmChannelStats>> Media::channels() const {
  std::vector<std::vector<HbmChannelStats>> all;
  for (const std::optional<Hbm>& h : hbm_) all.push_back(h ? h->channels() : std::vector<HbmChannelStats>{});
  return all;
}

class DmaRun::Engine final : public Media::Engine {
 public:
  Engine(const Device& device, std::int32_t command, Media& media, std::int64_t start)
      : device_(device),
        command_(command),
        media_(media),
        number_(media.enter(*this)),
        window_(std::max<std::int64_t>(device.hbm.queue_entries * hbm_channels_per_chip(device) / device.dma.engines_per_chip, 1)),
        flights_(static_cast<std::size_t>(window_)),
        looked_(start) {}
  ~Engine() { media_.leave(number_); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  void add(const program::DmaDescriptor& d) { descriptors_.push_back(&d); }

  void look(std::int64_t now) {
    book_until(now);
    while (true) {
      if (!running_ && !begin(now)) return;
      if (now < ready_) return;
      write(now);
      read(now);
      if (written_ < total_) return;
      running_ = false;  // the next one is started up from the next cycle on
      if (now < write_free_) return;
    }
  }
  std::int64_t next(std::int64_t now) const {
    if (!running_) return all_sent() ? (writes_open_ == 0 ? never : media_.next_advance()) : std::max(now, write_free_);
    if (now < ready_) return ready_;
    if (now < sending_until_) return sending_until_;
    std::int64_t at = never;
    if (asked_ < total_ && asked_ - written_ < window_) at = std::max(now, read_free_);
    if (written_ < asked_) {
      const Flight& f = flight(written_);
      if (f.units == 0) at = std::min(at, std::max({now, f.at, write_free_, sent_over_ == written_ ? over_at_ : 0}));
    }
    return at == never ? media_.next_advance() : at;
  }
  /// -1 while writes are under way.
  std::int64_t end() const { return all_sent() && !running_ && writes_open_ == 0 ? std::max(last_done_, write_free_) : -1; }
  /// Puts what is left until the end into its account.
  void close(std::int64_t at) { book_until(at); }

  std::int64_t cycles(Account a) const { return cycles_[static_cast<std::size_t>(a)]; }

  void answered(std::uint64_t request, bool write, std::int64_t at) override {
    if (write) {
      --writes_open_;
      last_done_ = std::max(last_done_, at);
      return;
    }
    Flight& f = flight(static_cast<std::int64_t>(request));
    --f.units;
    f.at = std::max(f.at, at);
  }

 private:
  /// A request between being asked for and being written.
  struct Flight {
    std::int64_t units = 0;  // that have not come
    std::int64_t at = 0;
  };

  Flight& flight(std::int64_t i) { return flights_[static_cast<std::size_t>(i % window_)]; }
  const Flight& flight(std::int64_t i) const { return flights_[static_cast<std::size_t>(i % window_)]; }
  bool all_sent() const { return begun_ == descriptors_.size(); }

  void book_until(std::int64_t now) {
    cycles_[static_cast<std::size_t>(account_)] += std::max<std::int64_t>(now - looked_, 0);
    looked_ = std::max(looked_, now);
  }

  bool begin(std::int64_t now) {
    if (all_sent()) {
      account_ = account_of(writes_);
      return false;
    }
    if (begun_ > 0 && now < write_free_) return false;
    d_ = descriptors_[begun_++];
    reads_ = Requests(device_, *d_, false);
    writes_ = Requests(device_, *d_, true);
    total_ = reads_.count();
    asked_ = written_ = 0;
    sent_over_ = -1;
    ready_ = now + device_.dma.startup.value;
    account_ = Account::startup;
    return running_ = true;
  }

  void write(std::int64_t now) {
    wrote_ = false;
    if (now < write_free_) {
      if (now >= sending_until_ && !same_medium(*d_)) account_ = account_of(writes_);
      return;
    }
    if (written_ == asked_ || flight(written_).units > 0 || flight(written_).at > now) {
      account_ = written_ == 0 ? Account::startup : account_of(reads_);
      return;
    }
    if (crosses_pcie(*d_) && now < over()) {
      account_ = Account::pcie;
      return;
    }
    if (!send(writes_, written_, true, now, write_free_)) {
      account_ = account_of(writes_);
      return;
    }
    ++written_;
    wrote_ = true;
    sending_until_ = now + units_;
    account_ = Account::streaming;
  }

  /// When the next request to write, whose data are there, has come over the way out of the chip that it was read on.
  std::int64_t over() {
    if (sent_over_ == written_) return over_at_;
    std::int64_t& way = media_.way_out(d_->read.chip);
    way = std::max(way, flight(written_).at) + ceil_div(writes_.bytes(), device_.dma.pcie_bytes_per_cycle.value);
    sent_over_ = written_;
    return over_at_ = way;
  }

  void read(std::int64_t now) {
    bool const turns = same_medium(*d_);
    if (turns) read_free_ = std::max(read_free_, write_free_);
    if (asked_ == total_ || asked_ - written_ >= window_ || now < read_free_) return;
    flight(asked_) = {};
    if (!send(reads_, asked_, false, now, read_free_)) return;
    ++asked_;
    if (!turns) return;
    write_free_ = std::max(write_free_, read_free_);
    if (!wrote_ && written_ > 0) account_ = Account::turns;
  }

  /// False where there is no room. `free` becomes the first cycle in which the next one may be sent.
  bool send(Requests& from, std::int64_t request, bool write, std::int64_t now, std::int64_t& free) {
    units_ = 1;
    switch (from.side().memory) {
      case Memory::Hbm: {
        std::int64_t const unit = device_.hbm.access_bytes.value;
        units_ = (from.address() + from.bytes() - 1) / unit - from.address() / unit + 1;
        open(request, write, units_);
        media_.asked_hbm(units_);
        auto const room = media_.hbm(from.side().chip)
                              .submit({Bytes{from.address()}, Bytes{from.bytes()}, write ? Access::write : Access::read, Cycles{now},
                                       Media::tag(number_, static_cast<std::uint64_t>(request), write)});
        if (!room) media_.trouble = room.refusal();
        free = std::max(now + units_, room ? room->value : 0);
        break;
      }
      case Memory::Dm: {
        if (!ask_dm(from, request, write)) return false;
        open(request, write, 1);
        free = now + 1;
        break;
      }
      case Memory::Spm: {
        std::int64_t const clusters = device_.levels.clusters_per_chip, pes = device_.levels.pes_per_cluster;
        std::int64_t const pe = from.address() / dma_pe_stride(device_).value;
        std::int64_t& busy = media_.spm((from.side().chip * clusters + from.side().cluster) * pes + pe);
        if (now < busy) return false;
        busy = now + ceil_div(from.bytes(), device_.spm.pe_bytes_per_cycle.value);
        open(request, write, 1);
        answered(static_cast<std::uint64_t>(request), write, busy);
        free = now + 1;
        break;
      }
      default:
        open(request, write, 1);
        answered(static_cast<std::uint64_t>(request), write, now + 1);
        free = now + 1;
    }
    from.next();
    return true;
  }
  void open(std::int64_t request, bool write, std::int64_t units) {
    if (write) writes_open_ += units;
    else flight(request).units = units;
  }
  /// Which slice a request goes to, counted through clusters and chips.
  std::int64_t slice_of(const Requests& r) const {
    const chip::Levels& l = device_.levels;
    return (r.side().chip * l.clusters_per_chip + r.side().cluster) * l.slices_per_cluster +
           r.address() / device_.dm.dma_slice_stride.value % l.slices_per_cluster;
  }
  bool ask_dm(const Requests& r, std::int64_t request, bool write) {
    return media_.banks().ask({slice_of(r), r.address() % device_.dm.dma_slice_stride.value, r.bytes(), command_,
                               Media::tag(number_, static_cast<std::uint64_t>(request), write)});
  }
  /// The account of waiting for a side.
  Account account_of(const Requests& r) {
    switch (r.side().memory) {
      case Memory::Hbm: return Account::hbm;
      case Memory::Dm: return media_.banks().starved(slice_of(r)) ? Account::banks : Account::dmn;
      case Memory::Spm: return Account::dmn;
      default: return Account::pcie;
    }
  }

  const Device& device_;
  std::int32_t command_;
  Media& media_;
  std::uint64_t number_;
  std::vector<const program::DmaDescriptor*> descriptors_;
  std::size_t begun_ = 0;
  const program::DmaDescriptor* d_ = nullptr;
  Requests reads_, writes_;
  std::int64_t total_ = 0, asked_ = 0, written_ = 0;
  std::int64_t window_;
  std::vector<Flight> flights_;
  bool running_ = false, wrote_ = false;
  std::int64_t ready_ = 0, read_free_ = 0, write_free_ = 0;
  std::int64_t units_ = 1, sending_until_ = 0;  // of the last request; of the last write
  std::int64_t sent_over_ = -1, over_at_ = 0;   // the last request that crosses between chips, and when it is there
  std::int64_t writes_open_ = 0, last_done_ = 0;
  std::int64_t looked_;
  Account account_ = Account::startup;
  std::array<std::int64_t, accounts> cycles_{};
};

DmaRun::DmaRun(const Device& device, std::int32_t number, const program::Dma& dma, Media& media, std::int64_t start)
    : device_(device), number_(number), media_(media), start_(start) {
  std::map<std::int32_t, Engine*> by_number;
  for (const program::DmaDescriptor& d : dma.descriptors) {
    Engine*& e = by_number[d.engine];
    if (e == nullptr) e = engines_.emplace_back(std::make_unique<Engine>(device, number, media, start)).get();
    e->add(d);
    for (const program::DmaSide* side : {&d.read, &d.write})
      if (side->memory == Memory::Hbm && std::find(hbm_chips_.begin(), hbm_chips_.end(), side->chip) == hbm_chips_.end())
        hbm_chips_.push_back(side->chip);
  }
  before_ = channel_sums();
  if (engines_.empty()) end_ = start;
}
DmaRun::~DmaRun() = default;

std::vector<HbmChannelStats> DmaRun::channel_sums() const {
  std::vector<HbmChannelStats> all;
  for (std::int32_t chip : hbm_chips_)
    for (const HbmChannelStats& s : media_.hbm(chip).channels()) all.push_back(s);
  return all;
}

void DmaRun::look(std::int64_t now) {
  if (end_ >= 0) return;
  std::int64_t last = start_;
  for (auto& e : engines_) {
    e->look(now);
    std::int64_t const end = e->end();
    last = end < 0 || last < 0 ? -1 : std::max(last, end);
  }
  end_ = last;
}

std::int64_t DmaRun::next(std::int64_t now) const {
  if (end_ >= 0) return end_;
  std::int64_t at = never;
  for (const auto& e : engines_) at = std::min(at, e->next(now));
  return at == never ? now : std::max(at, now);
}

program::Cost DmaRun::cost() const {
  program::Cost made;
  made.slowest = program::Engine::Dma;
  Engine* last = nullptr;
  for (const auto& e : engines_)
    if (last == nullptr || e->end() > last->end()) last = e.get();
  if (last == nullptr) return made;
  last->close(end_);
  made.startup = Cycles{last->cycles(Account::startup)};
  made.streaming = Cycles{last->cycles(Account::streaming)};
  made.engines.push_back({program::Engine::Dma, made.streaming});

  // The channel that had most to do during the command tells what waiting for HBM was about.
  HbmChannelStats busiest{};
  std::vector<HbmChannelStats> const after = channel_sums();
  for (std::size_t c = 0; c < after.size(); ++c) {
    HbmChannelStats delta{};
    add(delta, after[c], 1);
    add(delta, before_[c], -1);
    if (delta.busy > busiest.busy) busiest = delta;
  }
  auto const core = [&](HbmCycles c) {
    Ratio const r = in_core_cycles(device_, c);
    return r.num / r.den;
  };
  if (busiest.busy > HbmCycles{0}) made.engines.push_back({program::Engine::Hbm, Cycles{core(busiest.busy)}});
  auto const stall = [&](Stall cause, std::int64_t cycles) {
    if (cycles > 0) made.stalls.push_back({cause, Cycles{cycles}});
  };
  std::int64_t const hbm = last->cycles(Account::hbm);
  std::int64_t const partial = std::min(hbm, core(busiest.partial_write_stall));
  std::int64_t const rows = std::min(hbm - partial, core(busiest.row_stall));
  stall(Stall::Dmn, last->cycles(Account::dmn));
  stall(Stall::HbmChannel, hbm - partial - rows);
  stall(Stall::HbmRow, rows);
  stall(Stall::PartialWrite, partial);
  stall(Stall::SharedMedium, last->cycles(Account::turns));
  stall(Stall::Pcie, last->cycles(Account::pcie));
  stall(Stall::Starvation, last->cycles(Account::banks));
  if (hbm > made.streaming.value) made.slowest = program::Engine::Hbm;
  return made;
}

}  // namespace tcp::sim
