//! A small crate in the manner of real ones: axes and types in one module, operations in others, host code beside them.
#![allow(unused)]

pub mod axes;
pub mod ops;

use std::collections::HashMap;

/// Host code: what it does is none of a kernel's business.
pub async fn serve<T: Into<String>>(requests: Vec<T>) -> Result<HashMap<String, usize>, Box<dyn std::error::Error>> {
    let mut counts = HashMap::new();
    for request in requests.into_iter().map(|r| r.into()) {
        *counts.entry(request).or_insert(0) += 1;
    }
    match counts.len() {
        0 => Err("nothing was asked".into()),
        n if n > 1_000 => panic!("{n} is too many: {:?}", 'x'),
        _ => Ok(counts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(2 + 2, 4);
    }
}
