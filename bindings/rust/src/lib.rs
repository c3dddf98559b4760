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
//! The crate needs libassay and no other crate.
use std::ffi::{c_char, c_int, c_void, CStr, CString};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::time::Duration;

#[repr(C)]
struct Opaque(c_void);

#[rustfmt::skip]
extern "C" {
    fn assay_new() -> *mut Opaque;
    fn assay_free(a: *mut Opaque);
    fn assay_set(a: *mut Opaque, option: c_int, value: i64) -> c_int;
    fn assay_error() -> *const c_char;
    fn assay_error_status() -> c_int;
    fn assay_recorder_new(a: *mut Opaque) -> *mut Opaque;
    fn assay_recorder_free(r: *mut Opaque);
    fn assay_recorder_finish(r: *mut Opaque) -> *mut Opaque;
    fn assay_session_open(r: *mut Opaque, name: *const c_char) -> *mut Opaque;
    fn assay_begin(s: *mut Opaque);
    fn assay_end(s: *mut Opaque, outcome: c_int);
    fn assay_read_int(s: *mut Opaque, key: *const c_char, value: i64);
    fn assay_read_text(s: *mut Opaque, key: *const c_char, value: *const c_char);
    fn assay_read_nil(s: *mut Opaque, key: *const c_char);
    fn assay_write_int(s: *mut Opaque, key: *const c_char, value: i64);
    fn assay_write_text(s: *mut Opaque, key: *const c_char, value: *const c_char);
    fn assay_append_int(s: *mut Opaque, key: *const c_char, element: i64);
    fn assay_read_list_int(s: *mut Opaque, key: *const c_char, elements: *const i64, n: usize);
    fn assay_load(a: *mut Opaque, path: *const c_char, format: *const c_char) -> *mut Opaque;
    fn assay_parse(a: *mut Opaque, bytes: *const u8, n: usize, format: *const c_char) -> *mut Opaque;
    fn assay_history_free(h: *mut Opaque);
    fn assay_transactions(h: *const Opaque) -> u64;
    fn assay_check(a: *mut Opaque, h: *const Opaque, levels: *const c_char) -> *mut Opaque;
    fn assay_verdict(r: *const Opaque) -> c_int;
    fn assay_result_text(r: *mut Opaque, format: *const c_char, n: *mut usize) -> *const c_char;
    fn assay_result_free(r: *mut Opaque);
}

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
            status: assay_error_status(),
            message: CStr::from_ptr(assay_error()).to_string_lossy().into_owned(),
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
struct Handle {
    at: *mut Opaque,
    free: unsafe extern "C" fn(*mut Opaque),
}

impl Handle {
    fn new(at: *mut Opaque, free: unsafe extern "C" fn(*mut Opaque)) -> Result<Handle, Error> {
        if at.is_null() {
            return Err(last_error());
        }
        Ok(Handle { at, free })
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by the library, freed once.
        unsafe { (self.free)(self.at) }
    }
}

// SAFETY: handles may be used by one thread after another.
unsafe impl Send for Handle {}

/// Limits of a check.  None means no limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Limits {
    pub timeout: Option<Duration>,
    pub memory: Option<u64>,
}

fn assay(limits: Limits) -> Result<Handle, Error> {
    const TIMEOUT_MS: c_int = 1;
    const MEMORY: c_int = 2;
    // SAFETY: a new handle, checked before it is used.
    let a = Handle::new(unsafe { assay_new() }, assay_free)?;
    let ms = limits.timeout.map_or(0, |t| t.as_millis() as i64);
    let bytes = limits.memory.unwrap_or(0) as i64;
    for (option, value) in [(TIMEOUT_MS, ms), (MEMORY, bytes)] {
        if unsafe { assay_set(a.at, option, value) } != 0 {
            return Err(last_error());
        }
    }
    Ok(a)
}

// --- histories ----------------------------------------------------------------

/// A history that was read or recorded.
pub struct History(Handle);

impl History {
    /// Read the history at a path.
    pub fn load(path: impl AsRef<Path>) -> Result<History, Error> {
        let path = text(&path.as_ref().to_string_lossy())?;
        let a = assay(Limits::default())?;
        // SAFETY: the arguments live during the call.
        let h = unsafe { assay_load(a.at, path.as_ptr(), ptr::null()) };
        Handle::new(h, assay_history_free).map(History)
    }

    /// Read a history from memory; the format is recognised by its contents.
    pub fn parse(bytes: impl AsRef<[u8]>) -> Result<History, Error> {
        let bytes = bytes.as_ref();
        let a = assay(Limits::default())?;
        // SAFETY: as above.
        let h = unsafe { assay_parse(a.at, bytes.as_ptr(), bytes.len(), ptr::null()) };
        Handle::new(h, assay_history_free).map(History)
    }

    pub fn transactions(&self) -> u64 {
        unsafe { assay_transactions(self.0.at) }
    }

    /// Decide levels: "si", "si,ser", "all".
    pub fn inspect(&self, levels: &str, limits: Limits) -> Result<Report, Error> {
        let levels = text(levels)?;
        let a = assay(limits)?;
        // SAFETY: as above.
        let r = unsafe { assay_check(a.at, self.0.at, levels.as_ptr()) };
        Handle::new(r, assay_result_free).map(Report)
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

/// Verdicts and explanations.
pub struct Report(Handle);

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Report({:?})", self.verdict())
    }
}

impl Report {
    pub fn verdict(&self) -> Verdict {
        match unsafe { assay_verdict(self.0.at) } {
            0 => Verdict::Holds,
            1 => Verdict::Violated,
            _ => Verdict::Unknown,
        }
    }

    /// The result as "text", "json", "html", "markdown", "junit", ...
    pub fn show(&mut self, format: &str) -> Result<Vec<u8>, Error> {
        let format = text(format)?;
        let mut n = 0;
        // SAFETY: the text lives until the next call, and is copied before.
        unsafe {
            let at = assay_result_text(self.0.at, format.as_ptr(), &mut n);
            if at.is_null() {
                return Err(last_error());
            }
            Ok(std::slice::from_raw_parts(at.cast::<u8>(), n).to_vec())
        }
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

// --- recording ----------------------------------------------------------------

/// How a transaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Committed = 0,
    Aborted = 1,
    Indeterminate = 2,
}

/// Collects what sessions do.  Sessions may move to other threads, and end
/// before the recorder is finished.
pub struct Recorder {
    at: *mut Opaque,
    _assay: Option<Handle>,
}

// SAFETY: the library allows several threads to open sessions of one recorder.
unsafe impl Send for Recorder {}
unsafe impl Sync for Recorder {}

impl Default for Recorder {
    fn default() -> Self {
        Recorder::new()
    }
}

impl Recorder {
    pub fn new() -> Recorder {
        let a = assay(Limits::default()).ok();
        let at = a.as_ref().map_or(ptr::null_mut(), |a| unsafe { assay_recorder_new(a.at) });
        Recorder { at, _assay: a }
    }

    /// Open a session; panics if there is one of this name already.
    pub fn session(&self, name: &str) -> Session<'_> {
        let c = text(name).expect("a name without zero bytes");
        let at = unsafe { assay_session_open(self.at, c.as_ptr()) };
        assert!(!at.is_null(), "{}", last_error());
        Session { at, recorder: PhantomData }
    }

    /// The history; the first error of any session, if there was one.
    pub fn finish(mut self) -> Result<History, Error> {
        let at = std::mem::replace(&mut self.at, ptr::null_mut());
        // SAFETY: no session is left: they borrow the recorder.
        Handle::new(unsafe { assay_recorder_finish(at) }, assay_history_free).map(History)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        unsafe { assay_recorder_free(self.at) }
    }
}

/// One transaction after another.
pub struct Session<'a> {
    at: *mut Opaque,
    recorder: PhantomData<&'a Recorder>,
}

// SAFETY: a session belongs to one thread at a time.
unsafe impl Send for Session<'_> {}

impl Session<'_> {
    pub fn begin(&mut self) {
        unsafe { assay_begin(self.at) }
    }

    pub fn end(&mut self, outcome: Outcome) {
        unsafe { assay_end(self.at, outcome as c_int) }
    }

    /// Keys and values have no zero bytes: it panics for those.
    pub fn read_int(&mut self, key: &str, value: i64) {
        unsafe { assay_read_int(self.at, text(key).unwrap().as_ptr(), value) }
    }

    pub fn read_text(&mut self, key: &str, value: &str) {
        let (key, value) = (text(key).unwrap(), text(value).unwrap());
        unsafe { assay_read_text(self.at, key.as_ptr(), value.as_ptr()) }
    }

    /// The key had no value.
    pub fn read_nil(&mut self, key: &str) {
        unsafe { assay_read_nil(self.at, text(key).unwrap().as_ptr()) }
    }

    pub fn write_int(&mut self, key: &str, value: i64) {
        unsafe { assay_write_int(self.at, text(key).unwrap().as_ptr(), value) }
    }

    pub fn write_text(&mut self, key: &str, value: &str) {
        let (key, value) = (text(key).unwrap(), text(value).unwrap());
        unsafe { assay_write_text(self.at, key.as_ptr(), value.as_ptr()) }
    }

    pub fn append_int(&mut self, key: &str, element: i64) {
        unsafe { assay_append_int(self.at, text(key).unwrap().as_ptr(), element) }
    }

    pub fn read_list_int(&mut self, key: &str, elements: &[i64]) {
        let key = text(key).unwrap();
        unsafe { assay_read_list_int(self.at, key.as_ptr(), elements.as_ptr(), elements.len()) }
    }
}
