//! Writes a file as a whole: whoever reads it, or ends this program meanwhile, finds what was there before or all of the new. A
//! new file is for its owner alone, because it has the data of the run in it.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;

/// Writes the text beside the file, and puts it in its place once all of it is there. What is no plain file, such as a pipe, is
/// written to as it is, and so is a file in a directory that takes no other.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    // A link stays one, and leads to what is written.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let beside = beside(&target);
    let written = match fs::metadata(&target) {
        Ok(kept) if !kept.is_file() => None,
        kept => create_new(&beside).ok().map(|file| (file, kept.ok())),
    };
    let Some((file, kept)) = written else {
        return private().write(true).create(true).truncate(true).open(path)?.write_all(text.as_bytes());
    };
    let done = fill(file, kept, text).and_then(|()| fs::rename(&beside, &target));
    if done.is_err() {
        // The error says more than that of a file which is left behind.
        drop(fs::remove_file(&beside));
    }
    done
}

/// Creates a file that only its owner can read.
pub fn create_new(path: &Path) -> io::Result<File> {
    private().write(true).create_new(true).open(path)
}

/// Options under which a new file is for its owner alone, where the system knows owners.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes the text, for the same readers as the file before.
fn fill(mut file: File, before: Option<Metadata>, text: &str) -> io::Result<()> {
    if let Some(before) = before {
        file.set_permissions(before.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// A name in the same directory that nobody else takes.
fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.part", process::id()));
    target.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;

    /// A new directory; removed when dropped.
    struct Directory(PathBuf);

    impl Directory {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("whole-file-{}-{name}", process::id()));
            // Numbers of processes come again.
            drop(fs::remove_dir_all(&path));
            fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            drop(fs::remove_dir_all(&self.0));
        }
    }

    #[test]
    fn who_reads_the_old_file_keeps_all_of_it() {
        let directory = Directory::new("old");
        let path = directory.0.join("a.json");
        write(&path, "the old text").unwrap();
        let mut reader = File::open(&path).unwrap();
        write(&path, "new").unwrap();
        let mut old = String::new();
        reader.rewind().unwrap();
        reader.read_to_string(&mut old).unwrap();
        assert_eq!((old.as_str(), fs::read_to_string(&path).unwrap().as_str()), ("the old text", "new"));
        assert_eq!(directory.names(), ["a.json"], "nothing else is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_to_what_is_written_and_a_device_is_written_to() {
        let directory = Directory::new("link");
        let (path, link) = (directory.0.join("a.json"), directory.0.join("b.json"));
        fs::write(&path, "old").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        write(Path::new("/dev/null"), "gone").unwrap();
        assert_eq!(directory.names(), ["a.json", "b.json"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_is_for_its_owner_alone_and_an_old_one_keeps_its_readers() {
        use std::os::unix::fs::PermissionsExt;

        let directory = Directory::new("owner");
        let path = directory.0.join("a.json");
        let mode = || fs::metadata(&path).unwrap().permissions().mode() & 0o777;

        write(&path, "new").unwrap();
        assert_eq!(mode(), 0o600);

        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write(&path, "newer").unwrap();
        assert_eq!(mode(), 0o644);
    }
}
