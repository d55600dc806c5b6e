//! What openings add to a score. Pure; surfacing adds nothing, so that the ranker never feeds on
//! its own output.
//!
//! Both terms lie between 0 and 1 and come from a [`Reach`](crate::Reach): the host multiplies them
//! with weights of its own and adds them to its score.
//!
//! ```
//! use rekal::{Reach, boost};
//!
//! let led = vec![("jwt expiry".to_owned(), 2)];
//! let reach = Reach { count: 9, drills: 2, query: Some("jwt expiry".into()), led };
//! let likeness = |past: &str| if past == "jwt expiry" { 0.5 } else { 0.0 };
//!
//! let flat = boost::flat(reach.drills, 4);
//! let intent = boost::intent(reach.led.iter().map(|(query, times)| (likeness(query), *times)));
//! assert_eq!(0.7 + 0.2 * flat + 0.2 * intent, 0.8875);
//! ```

/// The flat term: a session's drills against the most drills among the candidates, 0 to 1.
///
/// ```
/// assert_eq!(rekal::boost::flat(2, 4), 0.5);
/// assert_eq!(rekal::boost::flat(0, 0), 0.0);
/// ```
pub fn flat(drills: u32, max_drills: u32) -> f64 {
    if max_drills == 0 {
        return 0.0;
    }
    f64::from(drills) / f64::from(max_drills)
}

/// Below this likeness a past query says nothing about the present one.
pub(crate) const LIKE: f64 = 0.5;

/// The term of one session for one query, 0 to 1: `1 − Π(1 − k²)` over the queries that led to its
/// being opened, each as often as it did, where k is the likeness (idf-weighted cosine, 0 to 1) of
/// that query and the present one. A likeness below 0.5 is ignored.
///
/// ```
/// assert_eq!(rekal::boost::intent([(1.0, 1), (0.4, 9)]), 1.0);
/// assert_eq!(rekal::boost::intent([(0.5, 2)]), 0.4375);
/// ```
pub fn intent(likenesses: impl IntoIterator<Item = (f64, u32)>) -> f64 {
    let missed: f64 = likenesses
        .into_iter()
        .filter(|(k, _)| *k >= LIKE)
        .map(|(k, times)| (1.0 - k * k).max(0.0).powi(times.min(1000) as i32))
        .product();
    1.0 - missed
}
