// Weights that a decode step reads piece by piece, kept in the order in which it reads them.
//
// A chip that has an eighth of k at a time reads an eighth of each row, 512 bytes out of 4,096: memory gives such
// pieces at a third of its speed. So columns whose bytes never change, those of a mapped file, are copied into the
// order of the contraction when they are read for the second time, and are read from one end to the other from then on.
// What is kept costs as much memory again; a quarter of the machine's is the most, and what finds no room is read where
// it lies.
#pragma once

#include <memory>
#include <span>

#include "exec/vector/contraction/products.hpp"

namespace tcp::vector::kernels {

/// Columns of bf16, packet after packet as the contraction sums them, those of all products of a column before the next
/// column's. Null: not kept. Law: the bytes are those that `c` and `products` find; when the owner of c.b goes, what is
/// kept for it goes too.
std::shared_ptr<const std::byte> kept_columns(const Contraction& c, std::span<const Apart> products);

}  // namespace tcp::vector::kernels
