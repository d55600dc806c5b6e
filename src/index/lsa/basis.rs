//! An orthonormal basis of the subspace in which most of a sparse matrix lies.
//!
//! Orthogonal iteration from a random start (Golub and Van Loan, “Matrix Computations”, 4th ed., 8.2.4;
//! as a range finder: Halko, Martinsson and Tropp 2011, algorithm 4.4). The start is the same every time
//! and every sum has a fixed order, so the same sessions give the same bytes.

/// How often the matrix and its transpose are applied. On sessions of dialogues, eight times come to 99 %
/// of what 128 dimensions can hold, four to 98 %.
const ITERATIONS: usize = 8;

/// How often where the matrix has more than [`SMALL`] values, each of which costs a microsecond then.
const ITERATIONS_IF_LARGE: usize = 4;

const SMALL: usize = 250_000;

/// A column is in the span of those before it when so little of its length is left. Rounding leaves
/// some 10⁻⁶.
const REMAINS: f64 = 1e-5;

/// A row of the sparse matrix: column and value.
pub(super) type SparseRow = Vec<(u32, f32)>;

/// A dense matrix, row after row.
pub(super) struct Dense {
    columns: usize,
    values: Vec<f32>,
}

/// A basis of `dims` columns for rows of `width` columns: one row for each of those. Where the rows span
/// less than `dims` dimensions, the rest of the columns is 0.
pub(super) fn basis(rows: &[SparseRow], width: usize, dims: usize) -> Dense {
    let is_small = rows.iter().map(Vec::len).sum::<usize>() <= SMALL;
    let iterations = if is_small { ITERATIONS } else { ITERATIONS_IF_LARGE };
    let mut left = Dense::random(rows.len(), dims);
    for _ in 0..iterations {
        let right = transposed_times(rows, &left, width);
        left = times(rows, &right);
        left.orthonormalise();
    }
    let mut right = transposed_times(rows, &left, width);
    right.orthonormalise();
    right
}

fn times(rows: &[SparseRow], right: &Dense) -> Dense {
    let mut product = Dense::zero(rows.len(), right.columns);
    for (row, sum) in rows.iter().zip(product.rows_mut()) {
        for (column, value) in row {
            add(sum, *value, right.row(*column as usize));
        }
    }
    product
}

fn transposed_times(rows: &[SparseRow], left: &Dense, width: usize) -> Dense {
    let mut product = Dense::zero(width, left.columns);
    for (at, row) in rows.iter().enumerate() {
        for (column, value) in row {
            add(product.row_mut(*column as usize), *value, left.row(at));
        }
    }
    product
}

/// Adds a multiple of a row to another.
fn add(sum: &mut [f32], factor: f32, row: &[f32]) {
    for (sum, value) in sum.iter_mut().zip(row) {
        *sum += factor * value;
    }
}

impl Dense {
    fn zero(rows: usize, columns: usize) -> Self {
        Self {
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    /// Values from −1 to 1, the same every time (the generator is SplitMix64; Steele, Lea and Flood 2014).
    fn random(rows: usize, columns: usize) -> Self {
        let mut state = 0u64;
        let mut next = || {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ mixed >> 31) as i32 as f32 / (1u32 << 31) as f32
        };
        Self {
            columns,
            values: (0..rows * columns).map(|_| next()).collect(),
        }
    }

    pub(super) fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.columns..][..self.columns]
    }

    fn row_mut(&mut self, at: usize) -> &mut [f32] {
        &mut self.values[at * self.columns..][..self.columns]
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
        self.values.chunks_exact_mut(self.columns)
    }

    /// By the Cholesky factor R of the inner products: the columns times R⁻¹ are orthonormal (Golub and
    /// Van Loan, 5.2.9 and 4.2). In one pass over the rows for either, which Gram-Schmidt is not; the
    /// columns here are far from dependent on each other, or wholly.
    fn orthonormalise(&mut self) {
        let mut factor = self.products();
        factor_in_place(&mut factor);
        let factor: Vec<Vec<f32>> = factor
            .iter()
            .map(|row| row.iter().map(|value| *value as f32).collect())
            .collect();
        for row in self.rows_mut() {
            for (at, factor) in factor.iter().enumerate() {
                let value = if factor[0] > 0.0 { row[at] / factor[0] } else { 0.0 };
                row[at] = value;
                add(&mut row[at + 1..], -value, &factor[1..]);
            }
        }
    }

    /// The inner products of each column with itself and with each behind it.
    fn products(&self) -> Vec<Vec<f64>> {
        let mut products: Vec<Vec<f64>> = (0..self.columns).map(|at| vec![0.0; self.columns - at]).collect();
        for row in self.values.chunks_exact(self.columns) {
            for (at, products) in products.iter_mut().enumerate() {
                let factor = f64::from(row[at]);
                for (product, value) in products.iter_mut().zip(&row[at..]) {
                    *product += factor * f64::from(*value);
                }
            }
        }
        products
    }
}

/// The upper triangle of a symmetric matrix, row after row from the diagonal on, becomes its Cholesky
/// factor. A row of 0 stands for a column that depends on those before it.
fn factor_in_place(upper: &mut [Vec<f64>]) {
    let squares: Vec<f64> = upper.iter().map(|row| row[0]).collect();
    for (at, square) in squares.iter().enumerate() {
        let (done, rest) = upper.split_at_mut(at + 1);
        let Some(row) = done.last_mut() else { continue };
        if row[0] <= REMAINS * REMAINS * square {
            row.fill(0.0);
            continue;
        }
        let root = row[0].sqrt();
        row.iter_mut().for_each(|value| *value /= root);
        for (behind, other) in rest.iter_mut().enumerate() {
            let factor = row[behind + 1];
            for (value, of_row) in other.iter_mut().zip(&row[behind + 1..]) {
                *value -= factor * of_row;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(dense: &Dense, a: usize, b: usize) -> f32 {
        let rows = dense.values.chunks_exact(dense.columns);
        rows.map(|row| row[a] * row[b]).sum()
    }

    /// Two blocks of columns, each with rows of its own, and one weak row beside them.
    fn blocks() -> Vec<SparseRow> {
        vec![
            vec![(0, 3.0), (1, 3.0)],
            vec![(0, 3.0), (1, 2.0)],
            vec![(2, 2.0), (3, 2.0)],
            vec![(2, 2.0), (3, 1.0)],
            vec![(4, 0.1)],
        ]
    }

    #[test]
    fn the_columns_are_orthonormal() {
        let basis = basis(&blocks(), 5, 3);
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            assert!(product(&basis, a, b).abs() < 1e-4);
        }
        for a in 0..3 {
            assert!((product(&basis, a, a) - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn what_is_strong_lies_in_the_subspace_and_what_is_weak_does_not() {
        let basis = basis(&blocks(), 5, 2);
        let inside = |column: usize| basis.row(column).iter().map(|value| value * value).sum::<f32>();
        // The singular value of the two blocks' first directions: 5.55 and 3.58; of the next: 0.83 at most.
        for column in 0..4 {
            assert!(inside(column) > 0.3, "{column}: {}", inside(column));
        }
        assert!(inside(4) < 1e-6, "{}", inside(4));
    }

    #[test]
    fn where_the_rows_span_less_the_other_columns_are_0() {
        let rows = vec![vec![(0, 1.0), (1, 1.0)]; 4];
        let basis = basis(&rows, 2, 3);
        assert!((product(&basis, 0, 0) - 1.0).abs() < 1e-6);
        assert_eq!((product(&basis, 1, 1), product(&basis, 2, 2)), (0.0, 0.0));
    }

    #[test]
    fn nothing_has_a_basis_of_nothing() {
        assert!(basis(&[], 0, 2).values.is_empty());
        assert_eq!(basis(&[Vec::new(), Vec::new()], 3, 2).values, [0.0; 6]);
    }
}
