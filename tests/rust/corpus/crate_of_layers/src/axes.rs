//! The axes and layouts that all operations share.
use furiosa_opt_std::prelude::*;

axes![
    /// Tokens.
    Token = 256,
    /// Features of a token.
    Feature = 64,
];

pub type Chip = m![1];
pub type Cluster = m![1 # 2];
pub type Slice = m![Token];
pub type Activations = HbmTensor<f32, Chip, m![Token, Feature]>;
pub type OnChip = DmTensor<f32, Chip, Cluster, Slice, m![Feature]>;
