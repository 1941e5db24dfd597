// Mappings in C++: values with an algebra, and the types that carry them. Compiling it checks every claim of the chapter.
#include <type_traits>

#include <tcp/tcp.hpp>

using namespace tcp;

TCP_AXES(A = 2048, B = 12, C = 5, W = 4, Fw = 3);

using Slice = m<(A / 8).pad(256)>;            // m![A / 8 # 256]
using Blocks = m<B % 4, B / 4>;               // m![B % 4, B / 4]
using Rows = m<C.pad_zero(8), B>;             // m![C #z 8, B]
using Together = m<group(C.pad(6), B) % 24>;  // m![[C # 6, B] % 24]
using Part = m<B.resize(8)>;                  // m![B = 8]
using Both = m<Slice{}, B>;                   // m![{ Slice }, B]
using Window = m<slide(W.by(2), Fw)>;         // m![$(W:2, Fw)]

static_assert(Slice::size == 256);
static_assert(Rows::size == 8 * 12);
static_assert(Window::size == 2 * 3 + 2 + 1);
static_assert(std::is_same_v<m<B / 4, B % 4>, m<B>>);   // one meaning, one type
static_assert(!std::is_same_v<m<B % 4, B / 4>, m<B>>);  // a transpose is another meaning
static_assert(std::is_same_v<m<A / 8>, Slice>);         // padding to what is there already is no padding

int main() {}
