// Writes and reads the binary form. Both go through the tables of fields.hpp, so that they cannot disagree about what
// follows what.
#include "tcp/program/encode.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "program/shapes.hpp"

namespace tcp::program {

namespace {

// As PNG's: a byte that no text has, the name, and line ends that a transfer as text would change.
constexpr std::uint8_t magic[] = {0x89, 'T', 'C', 'P', 'P', '\r', '\n', 0x1a};
constexpr std::size_t version_at = 8, checksum_at = 12, length_at = 16, header_bytes = 24;

/// CRC-32 as in zip and PNG: every change of up to 32 neighbouring bits is seen.
std::uint32_t checksum(std::span<const std::byte> bytes) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      t[i] = i;
      for (int k = 0; k < 8; ++k) t[i] = (t[i] & 1) != 0 ? 0xedb88320u ^ (t[i] >> 1) : t[i] >> 1;
    }
    return t;
  }();
  std::uint32_t c = ~0u;
  for (std::byte b : bytes) c = table[(c ^ static_cast<std::uint32_t>(b)) & 0xff] ^ (c >> 8);
  return ~c;
}

class Writer {
 public:
  explicit Writer(std::vector<std::byte>& out) : out_(out) {}

  /// The lowest byte first.
  void fixed(std::uint64_t v, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) byte(static_cast<std::uint8_t>(v >> (8 * i)));
  }
  void byte(std::uint8_t v) { out_.push_back(static_cast<std::byte>(v)); }

  void put(bool v) { byte(v ? 1 : 0); }
  template <WholeNumber T>
  void put(T v) {
    auto const wide = static_cast<std::uint64_t>(v);
    if constexpr (std::is_signed_v<T>) seven_bits_at_a_time(wide << 1 ^ (v < 0 ? ~std::uint64_t{0} : 0));
    else seven_bits_at_a_time(wide);
  }
  template <Enumeration T>
  void put(T v) {
    byte(static_cast<std::uint8_t>(v));
  }
  void put(const std::string& v) {
    seven_bits_at_a_time(v.size());
    for (char c : v) byte(static_cast<std::uint8_t>(c));
  }
  void put(const SliceSet& v) {
    for (std::uint64_t w : v.word) fixed(w, 8);
  }
  void put(const std::vector<bool>& v) {
    seven_bits_at_a_time(v.size());
    for (std::size_t i = 0; i < v.size(); i += 8) {
      std::uint8_t bits = 0;
      for (std::size_t k = i; k < std::min(v.size(), i + 8); ++k) bits = static_cast<std::uint8_t>(bits | (v[k] ? 1 << (k - i) : 0));
      byte(bits);
    }
  }
  template <class T>
  void put(const std::vector<T>& v) {
    seven_bits_at_a_time(v.size());
    for (const T& each : v) put(each);
  }
  template <class T>
  requires is_tuple<T> void put(const T& v) {
    std::apply([this](const auto&... each) { (this->put(each), ...); }, v);
  }
  template <class T>
  void put(const std::optional<T>& v) {
    put(v.has_value());
    if (v) put(*v);
  }
  template <class... T>
  void put(const std::variant<T...>& v) {
    byte(static_cast<std::uint8_t>(v.index()));
    std::visit([this](const auto& each) { this->put(each); }, v);
  }
  template <Record T>
  void put(const T& v) {
    each_field(v, [this](const char*, const auto& field) { this->put(field); });
  }

 private:
  void seven_bits_at_a_time(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) byte(static_cast<std::uint8_t>(v | 0x80));
    byte(static_cast<std::uint8_t>(v));
  }

  std::vector<std::byte>& out_;
};

/// The fewest bytes that a value of the type takes: no list of n is shorter than n of them.
template <class T>
constexpr std::size_t least_bytes() {
  if constexpr (std::is_same_v<T, SliceSet>) {
    return 32;
  } else if constexpr (Record<T>) {
    return std::apply(
        []<class... F>(F... field) { return (std::size_t{0} + ... + least_bytes<std::remove_cvref_t<decltype(T{}.*field.member)>>()); },
        table_of<T>.fields);
  } else if constexpr (is_tuple<T>) {
    return std::tuple_size_v<T> * least_bytes<std::tuple_element_t<0, T>>();
  } else {
    return 1;
  }
}

/// Reads values one after the other. After the first that is wrong it reads nothing more.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::size_t from) : bytes_(bytes), at_(from) {}

  bool ok() const { return !refused_; }
  const Refusal& refusal() const { return refusal_; }
  std::size_t left() const { return bytes_.size() - at_; }

  /// The lowest byte first.
  std::uint64_t fixed(std::size_t bytes) {
    std::uint64_t v = 0;
    for (std::size_t i = 0; i < bytes; ++i) v |= std::uint64_t{byte()} << (8 * i);
    return v;
  }

  void take(bool& v) {
    std::size_t const from = at_;
    std::uint8_t const b = byte();
    if (b > 1) wrong(from, text("is ", int{b}, ", which is neither 0 nor 1"));
    v = b == 1;
  }
  template <WholeNumber T>
  void take(T& v) {
    std::size_t const from = at_;
    std::uint64_t const bits = seven_bits_at_a_time();
    if constexpr (std::is_signed_v<T>) {
      auto const wide = static_cast<std::int64_t>(bits >> 1 ^ ((bits & 1) != 0 ? ~std::uint64_t{0} : 0));
      if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) too_large(from, sizeof(T));
      v = static_cast<T>(wide);
    } else {
      if (bits > std::numeric_limits<T>::max()) too_large(from, sizeof(T));
      v = static_cast<T>(bits);
    }
  }
  template <Enumeration T>
  void take(T& v) {
    std::size_t const from = at_;
    std::uint8_t const b = byte();
    if (b >= word_count<T>) return wrong(from, text("is ", int{b}, ", but the last word of this field is ", word_count<T> - 1));
    v = static_cast<T>(b);
  }
  void take(std::string& v) {
    std::size_t const size = count(1), from = at_;
    if (!ok()) return;
    v.assign(reinterpret_cast<const char*>(bytes_.data()) + at_, size);
    at_ += size;
    if (!printable(v)) wrong(from, text("is a text with characters that are not printable ASCII"));
  }
  void take(SliceSet& v) {
    for (std::uint64_t& w : v.word) w = fixed(8);
  }
  void take(std::vector<bool>& v) {
    std::size_t const from = at_;
    std::uint64_t const size = seven_bits_at_a_time();
    if (!ok()) return;
    if (size > left() * 8) return too_many(from, size, left() * 8);
    v.resize(size);
    for (std::size_t i = 0; i < size; i += 8) {
      std::size_t const here = at_;
      std::uint8_t bits = byte();
      for (std::size_t k = i; k < std::min<std::size_t>(size, i + 8); ++k, bits >>= 1) v[k] = (bits & 1) != 0;
      if (bits != 0 && size - i < 8) wrong(here, text("has bits after the end of its list"));
    }
  }
  template <class T>
  void take(std::vector<T>& v) {
    v.resize(count(least_bytes<T>()));
    for (T& each : v) {
      if (!ok()) return;
      take(each);
    }
  }
  template <class T>
  requires is_tuple<T> void take(T& v) {
    std::apply([this](auto&... each) { (this->take(each), ...); }, v);
  }
  template <class T>
  void take(std::optional<T>& v) {
    bool there = false;
    take(there);
    v.reset();
    if (there && ok()) take(v.emplace());
  }
  template <class... T>
  void take(std::variant<T...>& v) {
    std::size_t const from = at_;
    std::uint8_t const number = byte();
    if (!choose(v, number, [this](auto& each) { this->take(each); }))
      wrong(from, text("is ", int{number}, ", but there are ", sizeof...(T), " kinds"));
  }
  template <Record T>
  void take(T& v) {
    const char* const around = record_;
    each_field(v, [this](const char* name, auto& field) {
      if (!this->ok()) return;
      record_ = table_of<T>.name;
      field_ = name;
      this->take(field);
    });
    record_ = around;
  }

 private:
  std::uint8_t byte() {
    if (!ok()) return 0;
    if (left() == 0) {
      stop(refuse("program-cut-short")
               .what("byte ", at_, ": ", record_, ".", field_, " begins or goes on after the end of the program")
               .why("the header's length and checksum are right, so the writer of the file left something out")
               .help("write the file again: tcp compile --emit program"));
      return 0;
    }
    return static_cast<std::uint8_t>(bytes_[at_++]);
  }
  /// Seven bits a byte, the lowest first; all but the last byte have the highest bit set. The shortest form is the only
  /// one.
  std::uint64_t seven_bits_at_a_time() {
    std::size_t const from = at_;
    std::uint64_t v = 0;
    for (unsigned shift = 0;; shift += 7) {
      std::uint8_t const b = byte();
      if (!ok()) return 0;
      if (shift == 63 && b > 1) {
        too_large(from, 8);
        return 0;
      }
      v |= std::uint64_t{b & 0x7fu} << shift;
      if (b >= 0x80) continue;
      if (b == 0 && shift > 0) wrong(from, text("is a number with more bytes than it needs"));
      return v;
    }
  }
  /// The number of items that follow; 0 after a refusal.
  std::size_t count(std::size_t bytes_each) {
    std::size_t const from = at_;
    std::uint64_t const size = seven_bits_at_a_time();
    if (ok() && size > left() / bytes_each) too_many(from, size, left() / bytes_each);
    return ok() ? static_cast<std::size_t>(size) : 0;
  }

  void stop(const Refusal& r) {
    if (!refused_) refusal_ = r;
    refused_ = true;
  }
  void wrong(std::size_t from, const Text& what) {
    stop(refuse("program-bad-value")
             .what("byte ", from, ": ", record_, ".", field_, " ", what)
             .why("docs/program.md says how each type is written; there is one way for every value")
             .help("write the file again: tcp compile --emit program"));
  }
  void too_large(std::size_t from, std::size_t bytes) { wrong(from, text("is a number that does not fit into ", bytes * 8, " bits")); }
  void too_many(std::size_t from, std::uint64_t size, std::size_t room) {
    stop(refuse("program-count-too-large")
             .what("byte ", from, ": ", record_, ".", field_, " says that ", size, " items follow, but the ", left(),
                   " bytes left hold at most ", room)
             .why("a list is written as its length and then its items")
             .help("write the file again: tcp compile --emit program"));
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
  const char* record_ = "";
  const char* field_ = "";
  bool refused_ = false;
  Refusal refusal_;
};

Verdict check_header(std::span<const std::byte> bytes) {
  if (!looks_encoded(bytes))
    return refuse("program-not-encoded")
        .what("byte 0: this is not a program in binary form: the first 8 bytes are others, or missing")
        .why("such a file begins with 89 54 43 50 50 0d 0a 1a; a transfer as text changes them")
        .help("name a file that tcp compile --emit program wrote, and copy it as it is");
  if (bytes.size() < header_bytes)
    return refuse("program-length")
        .what("byte ", bytes.size(), ": the file ends inside its header of ", header_bytes, " bytes")
        .why("part of the file is missing")
        .help("copy it again, or write it again: tcp compile --emit program");
  std::uint64_t const found = ByteReader(bytes, version_at).fixed(4);
  if (found != version)
    return refuse("program-version")
        .what("the program has version ", found, " of the encoding; this is a reader of version ", version)
        .why("records change from version to version, and a guess would run another program")
        .help("compile it again with this version of tcp");
  std::uint64_t const length = ByteReader(bytes, length_at).fixed(8);
  if (length != bytes.size() - header_bytes)
    return refuse("program-length")
        .what("byte ", length_at, ": the header says that ", length, " bytes follow it, but there are ", bytes.size() - header_bytes)
        .why("part of the file is missing, or something was added")
        .help("copy it again, or write it again: tcp compile --emit program");
  if (std::uint64_t const sum = ByteReader(bytes, checksum_at).fixed(4), of = checksum(bytes.subspan(header_bytes)); sum != of)
    return refuse("program-checksum")
        .what("byte ", checksum_at, ": the header's checksum is ", sum, ", but that of the ", length, " bytes after it is ", of)
        .why("the file was changed after it had been written")
        .help("copy it again, or write it again: tcp compile --emit program");
  return accept();
}

}  // namespace

std::vector<std::byte> encode(const Program& program) {
  std::vector<std::byte> body, out;
  Writer(body).put(program);
  out.reserve(header_bytes + body.size());
  Writer header(out);
  for (std::uint8_t b : magic) header.byte(b);
  header.fixed(version, 4);
  header.fixed(checksum(body), 4);
  header.fixed(body.size(), 8);
  out.insert(out.end(), body.begin(), body.end());
  return out;
}

bool looks_encoded(std::span<const std::byte> bytes) {
  return bytes.size() >= std::size(magic) && std::equal(std::begin(magic), std::end(magic), bytes.begin(),
                                                        [](std::uint8_t m, std::byte b) { return static_cast<std::byte>(m) == b; });
}

Expected<Program> decode(std::span<const std::byte> bytes) {
  if (auto v = check_header(bytes); !v) return v.refusal();
  ByteReader reader(bytes, header_bytes);
  Program program;
  reader.take(program);
  if (!reader.ok()) return reader.refusal();
  if (reader.left() > 0)
    return refuse("program-trailing-bytes")
        .what("byte ", bytes.size() - reader.left(), ": the last record ends here, but the program goes on to byte ", bytes.size())
        .why("a program ends with its last record; bytes after it would never be read")
        .help("write the file again: tcp compile --emit program");
  return program;
}

}  // namespace tcp::program
