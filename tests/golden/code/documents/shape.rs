//! Shapes.

use std::f64::consts::PI;
use std::fmt;

/// A shape.
///
/// Has an area.
#[derive(Debug, Clone)]
pub enum Shape {
    Circle { radius: f64 },
    Square(f64),
}

impl Shape {
    /// Computes the area.
    #[inline]
    pub fn area(&self) -> f64 {
        match self {
            Shape::Circle { radius } => PI * radius * radius,
            Shape::Square(side) => side * side,
        }
    }

    pub fn scale(&mut self, by: f64) -> &mut Self {
        match self {
            Shape::Circle { radius } => *radius *= by,
            Shape::Square(side) => *side *= by,
        }
        self
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self)
    }
}

macro_rules! square {
    ($e:expr) => {
        Shape::Square($e)
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas() {
        assert_eq!(square!(2.0).area(), 4.0);
    }
}
