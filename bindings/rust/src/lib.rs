//! Check from a Rust test whether transactions were isolated.
//!
//! ```no_run
//! use assay::{assert_isolated, Outcome, Recorder};
//! let recorder = Recorder::new();
//! let mut session = recorder.session("worker 1");
//! session.begin();
//! session.read_int("x", 1); // what the database returned
//! session.write_int("x", 2);
//! session.end(Outcome::Committed);
//! drop(session);
//! assert_isolated!(recorder.finish().unwrap(), "si");
//! ```
//!
//! The crate needs libassay, `assay-sys` beside it, and no other crate.
use assay_sys as sys;
use std::ffi::{CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int};
use std::path::Path;
use std::ptr;
use std::time::Duration;

mod recorder;
pub use recorder::{Outcome, Recorder, Session};

/// What the library refused, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub status: i32,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

/// The last error of this thread.
fn last_error() -> Error {
    // SAFETY: the text belongs to the thread until its next call.
    unsafe {
        Error {
            status: sys::assay_error_status(),
            message: CStr::from_ptr(sys::assay_error()).to_string_lossy().into_owned(),
        }
    }
}

fn text(s: &str) -> Result<CString, Error> {
    CString::new(s).map_err(|_| Error {
        status: -1,
        message: "a text with a zero byte".into(),
    })
}

/// A pointer of the library, freed when it is dropped.
struct Handle<T> {
    at: *mut T,
    free: unsafe extern "C" fn(*mut T),
}

impl<T> Handle<T> {
    fn new(at: *mut T, free: unsafe extern "C" fn(*mut T)) -> Result<Handle<T>, Error> {
        if at.is_null() {
            return Err(last_error());
        }
        Ok(Handle { at, free })
    }
}

impl<T> Drop for Handle<T> {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { (self.free)(self.at) }
    }
}

// SAFETY: handles may be used by one thread after another.
unsafe impl<T> Send for Handle<T> {}

/// Limits of a check.  None means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub timeout: Option<Duration>,
    pub memory: Option<u64>,
    /// Steps per level: a limit with the same verdict on every machine.
    pub work: Option<u64>,
    /// What holds as far as it was recorded is unknown.
    pub complete: bool,
}

/// A limit as the library takes it: 0 would be none.
fn limit(value: Option<u128>) -> i64 {
    value.map_or(0, |v| i64::try_from(v.max(1)).unwrap_or(i64::MAX))
}

fn assay(limits: Limits) -> Result<Handle<sys::assay>, Error> {
    const MOST_MS: i64 = 1 << 40; // 35 years
    // SAFETY: a new handle, checked before it is used.
    let a = Handle::new(unsafe { sys::assay_new() }, sys::assay_free)?;
    let ms = limit(limits.timeout.map(|t| (t.as_nanos() + 999_999) / 1_000_000)).min(MOST_MS);
    for (option, value) in [
        (sys::ASSAY_TIMEOUT_MS, ms),
        (sys::ASSAY_MEMORY, limit(limits.memory.map(u128::from))),
        (sys::ASSAY_WORK, limit(limits.work.map(u128::from))),
        (sys::ASSAY_COMPLETE, limits.complete.into()),
    ] {
        // SAFETY: the handle is alive.
        if unsafe { sys::assay_set(a.at, option, value) } != 0 {
            return Err(last_error());
        }
    }
    Ok(a)
}

// --- histories ----------------------------------------------------------------

/// A history that was read or recorded.
pub struct History(Handle<sys::assay_history>);

// SAFETY: any number of threads may check one history, and nothing changes it.
unsafe impl Sync for History {}

impl History {
    /// Read the history at a path.
    pub fn load(path: impl AsRef<Path>) -> Result<History, Error> {
        use std::os::unix::ffi::OsStrExt;
        let path = CString::new(path.as_ref().as_os_str().as_bytes()).map_err(|_| Error {
            status: -1,
            message: "a path with a zero byte".into(),
        })?;
        let a = assay(Limits::default())?;
        // SAFETY: the arguments live during the call.
        let h = unsafe { sys::assay_load(a.at, path.as_ptr(), ptr::null()) };
        Handle::new(h, sys::assay_history_free).map(History)
    }

    /// Read a history from memory; the format is recognised by its contents.
    pub fn parse(bytes: impl AsRef<[u8]>) -> Result<History, Error> {
        let bytes = bytes.as_ref();
        let a = assay(Limits::default())?;
        // SAFETY: as above.
        let h = unsafe { sys::assay_parse(a.at, bytes.as_ptr(), bytes.len(), ptr::null()) };
        Handle::new(h, sys::assay_history_free).map(History)
    }

    pub fn transactions(&self) -> u64 {
        // SAFETY: the handle is alive.
        unsafe { sys::assay_transactions(self.0.at) }
    }

    /// Decide levels: "si", "si,ser", "all".
    pub fn inspect(&self, levels: &str, limits: Limits) -> Result<Report, Error> {
        let levels = text(levels)?;
        let a = assay(limits)?;
        // SAFETY: as above.
        let r = unsafe { sys::assay_check(a.at, self.0.at, levels.as_ptr()) };
        Handle::new(r, sys::assay_result_free).map(Report)
    }

    /// Ok if every level holds; else the story.
    pub fn check(&self, levels: &str) -> Result<Report, Failure> {
        let mut report = self.inspect(levels, Limits::default()).map_err(Failure::Error)?;
        match report.verdict() {
            Verdict::Holds => Ok(report),
            verdict => match report.show("text") {
                Ok(story) => Err(Failure::Anomaly {
                    verdict,
                    story: String::from_utf8_lossy(&story).into_owned(),
                }),
                Err(error) => Err(Failure::Error(error)),
            },
        }
    }

    /// Look for executions that the same program could also have had at a
    /// level, or on a database ("postgresql:rc"), and that no serial order
    /// explains.
    pub fn predict(&self, levels: &str, most: usize, limits: Limits) -> Result<Prediction, Error> {
        let levels = text(levels)?;
        let a = assay(limits)?;
        // SAFETY: as above.
        let p = unsafe { sys::assay_predict(a.at, self.0.at, levels.as_ptr(), most) };
        Handle::new(p, sys::assay_prediction_free).map(Prediction)
    }
}

/// Why a check did not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    Anomaly { verdict: Verdict, story: String },
    Error(Error),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Failure::Anomaly { story, .. } => f.write_str(story),
            Failure::Error(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// The result of a check.  The numbers are the exit statuses of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Holds = 0,
    Violated = 1,
    Unknown = 3,
}

fn verdict_of(status: c_int) -> Verdict {
    match status {
        0 => Verdict::Holds,
        1 => Verdict::Violated,
        _ => Verdict::Unknown,
    }
}

/// A copy of a text that a handle makes in a format.
fn show<T>(
    handle: &mut Handle<T>,
    make: unsafe extern "C" fn(*mut T, *const c_char, *mut usize) -> *const c_char,
    format: &str,
) -> Result<Vec<u8>, Error> {
    let format = text(format)?;
    let mut n = 0;
    // SAFETY: the text lives until the next call, and is copied before.
    unsafe {
        let at = make(handle.at, format.as_ptr(), &mut n);
        if at.is_null() {
            return Err(last_error());
        }
        Ok(std::slice::from_raw_parts(at.cast::<u8>(), n).to_vec())
    }
}

/// Verdicts and explanations.
pub struct Report(Handle<sys::assay_result>);

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Report({:?})", self.verdict())
    }
}

impl Report {
    /// The worst verdict of all levels.
    pub fn verdict(&self) -> Verdict {
        // SAFETY: the handle is alive, here and below.
        verdict_of(unsafe { sys::assay_verdict(self.0.at) })
    }

    /// The levels by their short names, weakest first.
    pub fn levels(&self) -> Vec<(String, Verdict)> {
        let row = |i| unsafe {
            let name = CStr::from_ptr(sys::assay_result_level(self.0.at, i));
            let verdict = verdict_of(sys::assay_result_verdict(self.0.at, i));
            (name.to_string_lossy().into_owned(), verdict)
        };
        (0..unsafe { sys::assay_result_levels(self.0.at) }).map(row).collect()
    }

    /// How many transactions were recorded in part: what holds is meant as far
    /// as it was recorded.
    pub fn partial(&self) -> u64 {
        unsafe { sys::assay_result_partial(self.0.at) }
    }

    /// The result as "text", "json", "html", "markdown", "junit", ...
    pub fn show(&mut self, format: &str) -> Result<Vec<u8>, Error> {
        show(&mut self.0, sys::assay_result_text, format)
    }
}

/// The result of a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    None = 0,
    Predicted = 1,
    Unknown = 3,
}

/// What the same program could also have done.
pub struct Prediction(Handle<sys::assay_prediction>);

impl Prediction {
    /// Of all levels: predicted, then unknown, then none.
    pub fn answer(&self) -> Answer {
        // SAFETY: the handle is alive.
        match unsafe { sys::assay_answer(self.0.at) } {
            0 => Answer::None,
            1 => Answer::Predicted,
            _ => Answer::Unknown,
        }
    }

    /// All predictions as "text", "json", "markdown", "html", "svg" or "dot".
    pub fn show(&mut self, format: &str) -> Result<Vec<u8>, Error> {
        show(&mut self.0, sys::assay_prediction_text, format)
    }
}

/// Panic with the story unless a history satisfies the levels.
#[macro_export]
macro_rules! assert_isolated {
    ($history:expr, $levels:expr) => {
        if let Err(failure) = $history.check($levels) {
            panic!("\n{failure}");
        }
    };
}
