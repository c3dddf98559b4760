//! Tests find the library where assay-sys found it.
fn main() {
    if let Ok(directory) = std::env::var("DEP_ASSAY_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{directory}");
    }
}
