//! The disc that the emulated machine boots: a boot loader, a kernel, and a file system in memory
//! with the tests.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Context;

use super::linux::output;

pub(super) const BOOT_LOADER: &str = "/usr/lib/ISOLINUX/isolinux.bin";
pub(super) const BOOT_LOADER_LIBRARY: &str = "/usr/lib/syslinux/modules/bios/ldlinux.c32";
pub(super) const SHELL: &str = "/bin/busybox";

/// Before the exit status of the tests in the output of the machine.
pub(super) const STATUS: &str = "emulator: status ";

/// The kernel's command line.
///
/// `clearcpuid` hides from it, not from programs, what Bochs 2.7 describes or executes otherwise
/// than Linux expects, by number: PCID (145), FSGSBASE (288), ERMS (297), INVPCID (298), SMAP
/// (308), XSAVEC (321), XSAVES (323), UMIP (514), PKU (515), OSPKE (516), RDPID (534), FSRM (580).
/// With XSAVEC or PKU Linux finds the state of AVX-512 inconsistent and turns it off.
const KERNEL_COMMAND_LINE: &str = "console=ttyS0,115200 loglevel=0 mitigations=off nokaslr no5lvl tsc=reliable \
    no_timer_check lpj=4000000 clearcpuid=145,288,297,298,308,321,323,514,515,516,534,580 panic=-1 reboot=t";

/// Writes the disc's image into the folder.
pub(super) fn make(
    folder: &Path,
    linux: &Path,
    program: &Path,
    arguments: &str,
    variables: &[(&str, String)],
) -> anyhow::Result<PathBuf> {
    let (root, disc) = (folder.join("root"), folder.join("disc"));
    for folder in [&root, &disc] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    copy(program, &root.join("tests"))?;
    output(Command::new("strip").arg(root.join("tests")))?;
    copy(Path::new(SHELL), &root.join("busybox"))?;
    // Property tests ask the system for random numbers, hence devices. The kernel's farewell would
    // cut into the last line.
    let exports: String = variables.iter().map(|(name, value)| format!("export {name}={value}\n")).collect();
    let script = format!(
        "#!/busybox sh\n\
         /busybox mkdir /proc /tmp\n\
         /busybox mount -t proc none /proc\n\
         /busybox mount -t devtmpfs none /dev\n\
         {exports}\
         /tests {arguments}\n\
         echo \"{STATUS}$?\"\n\
         /busybox sleep 1\n\
         /busybox poweroff -f\n"
    );
    write(&root.join("init"), &script)?;
    fs::set_permissions(root.join("init"), Permissions::from_mode(0o755))?;
    archive(&root, &disc.join("initrd"))?;
    copy(linux, &disc.join("linux"))?;
    copy(Path::new(BOOT_LOADER), &disc.join("isolinux.bin"))?;
    copy(Path::new(BOOT_LOADER_LIBRARY), &disc.join("ldlinux.c32"))?;
    let entry = format!("kernel /linux\nappend initrd=/initrd {KERNEL_COMMAND_LINE}\n");
    write(&disc.join("isolinux.cfg"), &format!("default tests\nlabel tests\n{entry}"))?;
    let image = folder.join("disc.iso");
    let bootable = "-b isolinux.bin -c boot.cat -no-emul-boot -boot-load-size 4 -boot-info-table";
    output(
        Command::new("xorriso")
            .args(["-as", "mkisofs", "-quiet", "-o"])
            .arg(&image)
            .args(bootable.split(' '))
            .arg(&disc),
    )?;
    Ok(image)
}

/// Packs a folder as the kernel unpacks it into memory.
fn archive(root: &Path, archive: &Path) -> anyhow::Result<()> {
    let file = File::create(archive).with_context(|| format!("cannot write {}", archive.display()))?;
    let names = "init\nbusybox\ntests\n";
    let list = root.with_extension("list");
    write(&list, names)?;
    let status = Command::new("cpio")
        .args(["--create", "--format=newc", "--quiet"])
        .current_dir(root)
        .stdin(Stdio::from(File::open(&list)?))
        .stdout(Stdio::from(file))
        .status()
        .context("cannot start cpio")?;
    anyhow::ensure!(status.success(), "cpio failed: {status}");
    Ok(())
}

fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    fs::copy(from, to).with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))?;
    Ok(())
}

pub(super) fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
