//! Recording: what sessions do, on any threads.
use crate::{assay, last_error, sys, text, Error, Handle, History, Limits, PhantomData};
use std::os::raw::c_int;
use std::ptr;

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
    at: *mut sys::assay_recorder,
    _assay: Handle<sys::assay>,
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
    /// A recorder that takes times; panics without memory.
    pub fn new() -> Recorder {
        Recorder::with_clock(true)
    }

    /// 'clock': whether sessions take times, which the strict levels need.
    pub fn with_clock(clock: bool) -> Recorder {
        let a = assay(Limits::default()).expect("memory for a recorder");
        // SAFETY: the handle is alive.
        let at = unsafe {
            sys::assay_set(a.at, sys::ASSAY_CLOCK, clock.into());
            sys::assay_recorder_new(a.at)
        };
        assert!(!at.is_null(), "{}", last_error());
        Recorder { at, _assay: a }
    }

    /// Open a session; panics if there is one of this name already.
    pub fn session(&self, name: &str) -> Session<'_> {
        let c = text(name).expect("a name without zero bytes");
        // SAFETY: the recorder is alive.
        let at = unsafe { sys::assay_session_open(self.at, c.as_ptr()) };
        assert!(!at.is_null(), "{}", last_error());
        Session { at, recorder: PhantomData }
    }

    /// The history; the first error of any session, if there was one.
    pub fn finish(mut self) -> Result<History, Error> {
        let at = std::mem::replace(&mut self.at, ptr::null_mut());
        // SAFETY: no session is left: they borrow the recorder.
        let h = unsafe { sys::assay_recorder_finish(at) };
        Handle::new(h, sys::assay_history_free).map(History)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // SAFETY: it was not finished, or is null.
        unsafe { sys::assay_recorder_free(self.at) }
    }
}

/// One transaction after another.  Texts have no zero bytes: the calls panic for
/// those.
pub struct Session<'a> {
    at: *mut sys::assay_session,
    recorder: PhantomData<&'a Recorder>,
}

// SAFETY: a session belongs to one thread at a time.
unsafe impl Send for Session<'_> {}

// SAFETY of the calls: the recorder, and so the session, outlives the borrow,
// and arguments are copied.
impl Session<'_> {
    pub fn begin(&mut self) {
        unsafe { sys::assay_begin(self.at) }
    }

    pub fn end(&mut self, outcome: Outcome) {
        unsafe { sys::assay_end(self.at, outcome as c_int) }
    }

    /// The name of the transaction, for explanations.
    pub fn name(&mut self, name: &str) {
        unsafe { sys::assay_name(self.at, text(name).unwrap().as_ptr()) }
    }

    /// A JSON object that explanations show with it.
    pub fn meta(&mut self, json: &str) {
        unsafe { sys::assay_meta(self.at, text(json).unwrap().as_ptr()) }
    }

    /// The transaction read more than is recorded, for example "which rows a
    /// statement did not find".
    pub fn partial(&mut self, what: &str) {
        unsafe { sys::assay_partial(self.at, text(what).unwrap().as_ptr()) }
    }

    /// An operation as doc/formats/jsonl.md has it, for rows and queries.
    pub fn op_json(&mut self, op: &str) {
        unsafe { sys::assay_op_json(self.at, text(op).unwrap().as_ptr()) }
    }

    pub fn read_int(&mut self, key: &str, value: i64) {
        unsafe { sys::assay_read_int(self.at, text(key).unwrap().as_ptr(), value) }
    }

    pub fn read_text(&mut self, key: &str, value: &str) {
        let (key, value) = (text(key).unwrap(), text(value).unwrap());
        unsafe { sys::assay_read_text(self.at, key.as_ptr(), value.as_ptr()) }
    }

    /// The key had no value.
    pub fn read_nil(&mut self, key: &str) {
        unsafe { sys::assay_read_nil(self.at, text(key).unwrap().as_ptr()) }
    }

    pub fn write_int(&mut self, key: &str, value: i64) {
        unsafe { sys::assay_write_int(self.at, text(key).unwrap().as_ptr(), value) }
    }

    pub fn write_text(&mut self, key: &str, value: &str) {
        let (key, value) = (text(key).unwrap(), text(value).unwrap());
        unsafe { sys::assay_write_text(self.at, key.as_ptr(), value.as_ptr()) }
    }

    pub fn append_int(&mut self, key: &str, element: i64) {
        unsafe { sys::assay_append_int(self.at, text(key).unwrap().as_ptr(), element) }
    }

    pub fn read_list_int(&mut self, key: &str, elements: &[i64]) {
        let key = text(key).unwrap();
        unsafe { sys::assay_read_list_int(self.at, key.as_ptr(), elements.as_ptr(), elements.len()) }
    }
}
