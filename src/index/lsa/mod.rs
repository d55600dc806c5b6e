//! Latent semantic analysis: sessions that are like a query though they do not hold its words.
//!
//! A session is a bag of terms (Deerwester, Dumais, Furnas, Landauer and Harshman 1990: “Indexing by
//! Latent Semantic Analysis”): a term that it holds f times weighs (1 + ln f) · ln(1 + n / d), where d of
//! n sessions hold it. Sessions and queries are projected into the subspace in which the sessions differ
//! most, and compared there by their angle. Words that keep the same company come to lie side by side.
//!
//! Angles do not depend on which orthonormal basis of the subspace is taken, so none of the singular
//! values and vectors are needed, and new sessions are folded in with the basis that is there.

mod basis;
mod file;
mod likeness;
mod publish;
mod rows;
mod terms;
mod vocabulary;

pub(super) use file::remove;
pub(super) use publish::{is_up_to, update};
