//! The functions of `assay/assay.h`, whose comments are their contract.
//!
//! The crate `assay` is the safe interface to them.
#![allow(non_camel_case_types)]
use std::os::raw::{c_char, c_int};

macro_rules! handles {
    ($($name:ident),*) => {$(
        /// A handle of the library.
        #[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        }
    )*};
}
handles!(assay, assay_recorder, assay_session, assay_history, assay_result, assay_prediction);

pub const ASSAY_TIMEOUT_MS: c_int = 1;
pub const ASSAY_MEMORY: c_int = 2;
pub const ASSAY_THREADS: c_int = 3;
pub const ASSAY_EXPLAIN: c_int = 5;
pub const ASSAY_WORK: c_int = 7;
pub const ASSAY_CLOCK: c_int = 8;
pub const ASSAY_COMPLETE: c_int = 9;

#[rustfmt::skip]
extern "C" {
    pub fn assay_version() -> c_int;
    pub fn assay_version_text() -> *const c_char;
    pub fn assay_new() -> *mut assay;
    pub fn assay_free(a: *mut assay);
    pub fn assay_set(a: *mut assay, option: c_int, value: i64) -> c_int;
    pub fn assay_error() -> *const c_char;
    pub fn assay_error_status() -> c_int;
    pub fn assay_error_line() -> u64;
    pub fn assay_error_column() -> u64;
    pub fn assay_recorder_new(a: *mut assay) -> *mut assay_recorder;
    pub fn assay_recorder_free(r: *mut assay_recorder);
    pub fn assay_recorder_finish(r: *mut assay_recorder) -> *mut assay_history;
    pub fn assay_session_open(r: *mut assay_recorder, name: *const c_char) -> *mut assay_session;
    pub fn assay_begin(s: *mut assay_session);
    pub fn assay_end(s: *mut assay_session, outcome: c_int);
    pub fn assay_name(s: *mut assay_session, name: *const c_char);
    pub fn assay_meta(s: *mut assay_session, json: *const c_char);
    pub fn assay_partial(s: *mut assay_session, what: *const c_char);
    pub fn assay_op_json(s: *mut assay_session, op: *const c_char);
    pub fn assay_read_int(s: *mut assay_session, key: *const c_char, value: i64);
    pub fn assay_read_text(s: *mut assay_session, key: *const c_char, value: *const c_char);
    pub fn assay_read_nil(s: *mut assay_session, key: *const c_char);
    pub fn assay_write_int(s: *mut assay_session, key: *const c_char, value: i64);
    pub fn assay_write_text(s: *mut assay_session, key: *const c_char, value: *const c_char);
    pub fn assay_append_int(s: *mut assay_session, key: *const c_char, element: i64);
    pub fn assay_read_list_int(s: *mut assay_session, key: *const c_char, elements: *const i64, n: usize);
    pub fn assay_load(a: *mut assay, path: *const c_char, format: *const c_char) -> *mut assay_history;
    pub fn assay_parse(a: *mut assay, bytes: *const u8, n: usize, format: *const c_char) -> *mut assay_history;
    pub fn assay_save(h: *const assay_history, path: *const c_char, format: *const c_char) -> c_int;
    pub fn assay_history_free(h: *mut assay_history);
    pub fn assay_transactions(h: *const assay_history) -> u64;
    pub fn assay_check(a: *mut assay, h: *const assay_history, levels: *const c_char) -> *mut assay_result;
    pub fn assay_verdict(r: *const assay_result) -> c_int;
    pub fn assay_result_partial(r: *const assay_result) -> u64;
    pub fn assay_result_levels(r: *const assay_result) -> usize;
    pub fn assay_result_level(r: *const assay_result, row: usize) -> *const c_char;
    pub fn assay_result_verdict(r: *const assay_result, row: usize) -> c_int;
    pub fn assay_result_text(r: *mut assay_result, format: *const c_char, n: *mut usize) -> *const c_char;
    pub fn assay_result_free(r: *mut assay_result);
    pub fn assay_predict(a: *mut assay, h: *const assay_history, levels: *const c_char, most: usize) -> *mut assay_prediction;
    pub fn assay_answer(p: *const assay_prediction) -> c_int;
    pub fn assay_prediction_text(p: *mut assay_prediction, format: *const c_char, n: *mut usize) -> *const c_char;
    pub fn assay_prediction_free(p: *mut assay_prediction);
}
