//! Find libassay: in the directory ASSAY_LIB_DIR, or where the linker looks.
fn main() {
    println!("cargo:rerun-if-env-changed=ASSAY_LIB_DIR");
    if let Ok(directory) = std::env::var("ASSAY_LIB_DIR") {
        println!("cargo:rustc-link-search=native={directory}");
        println!("cargo:lib_dir={directory}");
    }
    println!("cargo:rustc-link-lib=dylib=assay");
}
