//! Bochs, an emulator of whole machines, with the requested CPU.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::Context;

use super::image::{STATUS, write};

pub(super) const BIOS: &str = "/usr/share/bochs/BIOS-bochs-latest";
pub(super) const VIDEO_BIOS: &str = "/usr/share/bochs/VGABIOS-lgpl-latest";

/// Boots the image, prints what it prints and returns the status of the tests.
pub(super) fn run(folder: &Path, image: &Path, cpu: &str) -> anyhow::Result<i32> {
    let (configuration, commands) = (folder.join("bochsrc"), folder.join("commands"));
    let serial = folder.join("serial.txt");
    let settings = format!(
        "display_library: rfb, options=\"timeout=0\"\n\
         megs: 1024\n\
         romimage: file={BIOS}\n\
         vgaromimage: file={VIDEO_BIOS}\n\
         cpu: model={cpu}, count=1, ips=50000000, reset_on_triple_fault=0\n\
         clock: sync=none\n\
         ata0-master: type=cdrom, path={}, status=inserted\n\
         boot: cdrom\n\
         com1: enabled=1, mode=file, dev={}\n\
         log: {}\n\
         panic: action=fatal\n\
         info: action=ignore\n\
         sound: waveoutdrv=dummy\n",
        image.display(),
        serial.display(),
        folder.join("bochs.log").display()
    );
    write(&configuration, &settings)?;
    // Debian's Bochs waits in its debugger for a command to continue.
    write(&commands, "continue\n")?;
    write(&serial, "")?;
    // A display server without a viewer: any other display needs a terminal.
    Command::new("bochs-bin")
        .arg("-q")
        .arg("-f")
        .arg(&configuration)
        .arg("-rc")
        .arg(&commands)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .context("cannot start bochs-bin")?;
    let printed = fs::read_to_string(&serial).with_context(|| format!("cannot read {}", serial.display()))?;
    println!("{}", printed.trim());
    status(&printed).with_context(|| {
        format!("the machine stopped before the tests ended\nhint: {}", folder.join("bochs.log").display())
    })
}

fn status(printed: &str) -> Option<i32> {
    printed.lines().rev().find_map(|line| line.trim().strip_prefix(STATUS)?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::status;

    #[test]
    fn the_status_is_read_from_what_was_printed() {
        assert_eq!(
            status("test a ... ok\r\nemulator: status 101\r\n[ 2.5] reboot: Power down\r\n"),
            Some(101)
        );
        assert_eq!(status("test a ... ok\r\n"), None);
    }
}
