use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

const SEEDS: u64 = 64;

struct Machine {
    folder: TempDir,
    disk: ForgetfulDisk,
}

impl Machine {
    fn new(files: &[(&str, &str)]) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        for (name, contents) in files {
            fs::write(folder.path().join(name), contents).unwrap();
        }
        let disk = ForgetfulDisk::new(folder.path()).unwrap();
        Machine { folder, disk }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, contents: &str) {
        fs::write(self.path(name), contents).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        self.disk.sync(&File::open(self.path(name))?, &self.path(name))
    }

    fn sync_folder(&self) -> io::Result<()> {
        self.disk.sync_folder(self.folder.path())
    }

    /// `name=contents` of every file, after the power cut.
    fn after(&self, loss: Loss) -> Vec<String> {
        self.disk.crash(loss).unwrap();
        let mut left = vec![];
        let mut folders = vec![self.folder.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.folder.path()).unwrap().display();
                    let contents = String::from_utf8(fs::read(&path).unwrap()).unwrap();
                    left.push(format!("{name}={}", contents.replace('\0', "0")));
                }
            }
        }
        left.sort();
        left
    }
}

/// Every outcome of a story over all seeds, and the strictest.
fn outcomes(files: &[(&str, &str)], story: impl Fn(&Machine)) -> (Vec<String>, BTreeSet<Vec<String>>) {
    let run = |loss| {
        let machine = Machine::new(files);
        story(&machine);
        machine.after(loss)
    };
    (run(Loss::Everything), (0..SEEDS).map(|seed| run(Loss::Some(seed))).collect())
}

#[test]
fn what_was_there_before_and_what_was_synced_survives() {
    let (strictest, others) = outcomes(&[("old", "old")], |machine| {
        machine.write("new", "new");
        machine.sync("new").unwrap();
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["new=new", "old=old"]);
    assert_eq!(others, BTreeSet::from([strictest]));
}

#[test]
fn a_new_file_without_sync_of_its_folder_may_be_lost() {
    let (strictest, others) = outcomes(&[], |machine| {
        machine.write("new", "new");
        machine.sync("new").unwrap();
    });
    assert_eq!(strictest, Vec::<String>::new());
    assert_eq!(others, BTreeSet::from([vec![], vec!["new=new".to_owned()]]));
}

#[test]
fn a_file_whose_name_alone_was_synced_may_be_empty_cut_or_zeros() {
    let (strictest, others) = outcomes(&[], |machine| {
        machine.write("new", "new");
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["new="]);
    for expected in ["new=", "new=ne", "new=new", "new=000", "new=0"] {
        assert!(others.contains(&vec![expected.to_owned()]), "{expected} is not among {others:?}");
    }
}

#[test]
fn synced_bytes_survive_what_is_appended() {
    let (strictest, others) = outcomes(&[("log", "abc")], |machine| {
        let mut log = OpenOptions::new().append(true).open(machine.path("log")).unwrap();
        log.write_all(b"def").unwrap();
    });
    assert_eq!(strictest, ["log=abc"]);
    assert!(others.iter().all(|left| left.len() == 1 && left[0].starts_with("log=abc")), "{others:?}");
    assert!(others.len() > 4, "{others:?}");
}

#[test]
fn sectors_written_in_place_are_old_or_new() {
    let (old, new) = ("a".repeat(1024), "b".repeat(1024));
    let (strictest, others) = outcomes(&[("pages", &old)], |machine| {
        let file = OpenOptions::new().write(true).open(machine.path("pages")).unwrap();
        file.write_all_at(new.as_bytes(), 0).unwrap();
    });
    assert_eq!(strictest, [format!("pages={old}")]);
    let halves =
        |first: &str, second: &str| vec![format!("pages={}{}", first.repeat(512), second.repeat(512))];
    let all = [halves("a", "a"), halves("a", "b"), halves("b", "a"), halves("b", "b")];
    assert_eq!(others, BTreeSet::from(all));
}

/// Written beside the old file, synced, renamed over it: the old or the new one, whole.
#[test]
fn a_replaced_file_is_the_old_or_the_new_one() {
    let replace = |machine: &Machine| {
        machine.write("partial", "new");
        machine.sync("partial").unwrap();
        machine.rename("partial", "file");
    };
    let (strictest, others) = outcomes(&[("file", "old")], replace);
    assert_eq!(strictest, ["file=old"]);
    assert_eq!(others, BTreeSet::from([vec!["file=old".to_owned()], vec!["file=new".to_owned()]]));
    let (strictest, others) = outcomes(&[("file", "old")], |machine| {
        replace(machine);
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["file=new"]);
    assert_eq!(others.len(), 1);
}

/// The well-known error: neither the old contents nor the new ones.
#[test]
fn a_file_renamed_before_it_was_synced_may_be_empty() {
    let (strictest, _) = outcomes(&[("file", "old")], |machine| {
        machine.write("partial", "new");
        machine.rename("partial", "file");
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["file="]);
}

#[test]
fn a_rename_without_sync_of_the_folder_is_undone_or_done_never_half() {
    let (strictest, others) = outcomes(&[("a", "text")], |machine| machine.rename("a", "b"));
    assert_eq!(strictest, ["a=text"]);
    assert_eq!(others, BTreeSet::from([vec!["a=text".to_owned()], vec!["b=text".to_owned()]]));
}

#[test]
fn a_removed_file_may_come_back_until_its_folder_is_synced() {
    let remove = |machine: &Machine| fs::remove_file(machine.path("a")).unwrap();
    let (strictest, others) = outcomes(&[("a", "text")], remove);
    assert_eq!(strictest, ["a=text"]);
    assert_eq!(others, BTreeSet::from([vec![], vec!["a=text".to_owned()]]));
    let (strictest, others) = outcomes(&[("a", "text")], |machine| {
        remove(machine);
        machine.sync_folder().unwrap();
        // It may have the inode of the removed file, and never its contents.
        machine.write("b", "other");
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["b="]);
    assert!(others.iter().flatten().all(|left| !left.contains("text")), "{others:?}");
}

#[test]
fn a_new_folder_needs_its_own_sync_and_that_of_its_parent() {
    let make = |machine: &Machine| {
        fs::create_dir(machine.path("inner")).unwrap();
        machine.write("inner/file", "text");
        machine.sync("inner/file").unwrap();
    };
    let (strictest, _) = outcomes(&[], |machine| {
        make(machine);
        machine.disk.sync_folder(&machine.path("inner")).unwrap();
    });
    assert_eq!(strictest, Vec::<String>::new());
    let (strictest, _) = outcomes(&[], |machine| {
        make(machine);
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, Vec::<String>::new());
    let (strictest, others) = outcomes(&[], |machine| {
        make(machine);
        machine.disk.sync_folder(&machine.path("inner")).unwrap();
        machine.sync_folder().unwrap();
    });
    assert_eq!(strictest, ["inner/file=text"]);
    assert_eq!(others.len(), 1);
}

#[test]
fn after_the_power_cut_nothing_more_reaches_the_disk() {
    let machine = Machine::new(&[]);
    machine.disk.cut_power_after(2);
    machine.write("first", "first");
    machine.sync("first").unwrap();
    machine.sync_folder().unwrap();
    machine.write("second", "second");
    machine.sync("second").unwrap_err();
    machine.write("third", "third");
    fs::remove_file(machine.path("first")).unwrap();
    machine.sync_folder().unwrap_err();
    assert_eq!(machine.disk.syncs(), 2);
    let left = machine.after(Loss::Some(1));
    assert!(left.contains(&"first=first".to_owned()), "{left:?}");
    assert!(!left.iter().any(|file| file.starts_with("third")), "{left:?}");
    // The power is on again, and what is left is on the disk.
    machine.sync_folder().unwrap();
    assert_eq!(machine.after(Loss::Everything), left);
}

#[test]
fn a_seed_decides_everything() {
    let run = |seed| {
        let machine = Machine::new(&[("a", "1"), ("b", "2")]);
        machine.rename("a", "c");
        machine.write("d", &"text".repeat(1_000));
        machine.after(Loss::Some(seed))
    };
    assert!((0..SEEDS).all(|seed| run(seed) == run(seed)));
}

#[test]
fn a_file_written_in_place_has_one_of_two_lengths() {
    let lengths = |in_place: bool| -> BTreeSet<usize> {
        let after = |seed| {
            let machine = Machine::new(&[("a", "old")]);
            if in_place {
                machine.disk.written_in_place("a");
            }
            machine.write("a", &"new".repeat(1_000));
            machine.disk.crash(Loss::Some(seed)).unwrap();
            fs::read(machine.path("a")).unwrap().len()
        };
        (0..SEEDS).map(after).collect()
    };
    assert_eq!(lengths(true), BTreeSet::from([3, 3_000]));
    assert!(lengths(false).len() > 2, "other files may be cut anywhere");
}
