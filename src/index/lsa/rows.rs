//! Vectors of a byte a number.

/// The largest value of a byte here; −128 is left out, so that both directions are alike.
const LARGEST: f32 = 127.0;

/// Vectors of the same dimension. Number i of vector v is `scales[v] · values[v · dims + i]`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Rows {
    pub(super) dims: usize,
    pub(super) scales: Vec<f32>,
    pub(super) values: Vec<i8>,
}

impl Rows {
    pub(super) fn new(dims: usize) -> Self {
        Self {
            dims,
            scales: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Appends a vector, as close as bytes come to it.
    pub(super) fn push(&mut self, vector: &[f32]) {
        let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        let per_step = if largest > 0.0 { LARGEST / largest } else { 0.0 };
        self.scales.push(largest / LARGEST);
        let bytes = vector.iter().map(|value| (value * per_step).round() as i8);
        self.values.extend(bytes);
    }

    /// Appends the direction of a vector: its length becomes 1, unless it is 0.
    pub(super) fn push_direction(&mut self, vector: &[f32]) {
        let from = self.values.len();
        self.push(vector);
        let square: f32 = self.values[from..].iter().map(|value| f32::from(*value).powi(2)).sum();
        if let Some(scale) = self.scales.last_mut() {
            *scale = if square > 0.0 { 1.0 / square.sqrt() } else { 0.0 };
        }
    }

    pub(super) fn append(&mut self, scale: f32, values: impl IntoIterator<Item = i8>) {
        self.scales.push(scale);
        self.values.extend(values);
    }

    pub(super) fn row(&self, at: usize) -> (f32, &[i8]) {
        (self.scales[at], &self.values[at * self.dims..][..self.dims])
    }

    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }
}

/// Adds a multiple of a vector to a sum.
pub(super) fn add(sum: &mut [f32], factor: f32, values: impl IntoIterator<Item = i8>) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += factor * f32::from(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_kept_to_a_254th_of_its_largest_number() {
        let mut rows = Rows::new(3);
        rows.push(&[0.5, -1.0, 0.0]);
        rows.push(&[0.0; 3]);
        assert_eq!(rows.values, [64, -127, 0, 0, 0, 0]);
        assert_eq!(rows.scales, [1.0 / 127.0, 0.0]);
    }

    #[test]
    fn a_direction_has_length_1_or_0() {
        let mut rows = Rows::new(2);
        rows.push_direction(&[30.0, 40.0]);
        rows.push_direction(&[0.0, 0.0]);
        assert_eq!(rows.values, [95, 127, 0, 0]);
        assert!((rows.scales[0] * 158.6 - 1.0).abs() < 1e-4);
        assert_eq!(rows.scales[1], 0.0);
    }
}
