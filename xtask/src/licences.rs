//! Are the licences of all dependencies among those that deny.toml allows, and is their source one
//! that it knows?
//!
//! deny.toml is written for cargo-deny, which reads it too. This check is its own because building
//! cargo-deny takes more than four minutes on two cores, a fifth of what a whole `cargo xtask test`
//! may take; this takes a second.

use std::fs;

use anyhow::{Context, ensure};
use serde::Deserialize;
use spdx::{Expression, Licensee, ParseMode};

use crate::workspace;

/// The part of deny.toml that is checked here.
#[derive(Deserialize)]
struct Policy {
    licenses: Licences,
    sources: Sources,
    #[serde(default)]
    bans: Bans,
}

#[derive(Deserialize)]
struct Licences {
    allow: Vec<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

/// A licence that is allowed for one crate only.
#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Bans {
    #[serde(default)]
    deny: Vec<Ban>,
}

#[derive(Deserialize)]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: Option<String>,
}

/// The part of `cargo metadata` that is needed.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

/// Checks the packages that Cargo.lock names, for every platform.
pub(crate) fn check() -> anyhow::Result<()> {
    let path = workspace::root().join("deny.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let policy: Policy = toml::from_str(&text).with_context(|| format!("cannot read {}", path.display()))?;
    let output = workspace::cargo(&["metadata", "--format-version=1"]).output()?;
    ensure!(output.status.success(), "cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout)?;
    let complaints = complaints(&policy, &metadata.packages)?;
    ensure!(complaints.is_empty(), "{}", complaints.join("\n"));
    eprintln!("{} packages, all with an allowed licence and source", metadata.packages.len());
    Ok(())
}

/// One sentence per package that breaks the policy.
fn complaints(policy: &Policy, packages: &[Package]) -> anyhow::Result<Vec<String>> {
    let allowed = licensees(&policy.licenses.allow)?;
    let mut complaints = Vec::new();
    for package in packages {
        let Package { name, version, .. } = package;
        let mut allowed = allowed.clone();
        for exception in policy.licenses.exceptions.iter().filter(|exception| exception.name == *name) {
            allowed.extend(licensees(&exception.allow)?);
        }
        if let Err(complaint) = judge_licence(package.license.as_deref(), &allowed) {
            complaints.push(format!("{name} {version}: {complaint}"));
        }
        // A package of this workspace has no source.
        if let Some(source) = &package.source {
            let known = |registry: &String| source.strip_prefix("registry+") == Some(registry.as_str());
            if !policy.sources.allow_registry.iter().any(known) {
                complaints.push(format!("{name} {version}: comes from the unknown source {source}"));
            }
        }
        if let Some(ban) = policy.bans.deny.iter().find(|ban| ban.name == *name) {
            let reason = ban.reason.as_deref().unwrap_or("no reason given");
            complaints.push(format!("{name} {version}: banned ({reason})"));
        }
    }
    Ok(complaints)
}

fn licensees(names: &[String]) -> anyhow::Result<Vec<Licensee>> {
    names
        .iter()
        .map(|name| {
            Licensee::parse(name).with_context(|| format!("deny.toml allows {name:?}, which is no licence"))
        })
        .collect()
}

fn judge_licence(licence: Option<&str>, allowed: &[Licensee]) -> Result<(), String> {
    let licence = licence.ok_or("names no licence")?;
    // Lax, because older crates write MIT/Apache-2.0.
    let expression = Expression::parse_mode(licence, ParseMode::LAX)
        .map_err(|error| format!("its licence {licence:?} cannot be read ({})", error.reason))?;
    let fits = expression.evaluate(|required| allowed.iter().any(|licensee| licensee.satisfies(required)));
    fits.then_some(()).ok_or_else(|| format!("its licence {licence:?} is not allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = r#"
        [licenses]
        allow = ["MIT", "Apache-2.0"]
        exceptions = [{ crate = "special", allow = ["MPL-2.0"] }]
        [sources]
        allow-registry = ["https://registry.example/index"]
        [bans]
        deny = [{ crate = "unwanted", reason = "too heavy" }]
    "#;

    fn complaint(name: &str, licence: Option<&str>, source: Option<&str>) -> String {
        let package = Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            license: licence.map(str::to_owned),
            source: source.map(str::to_owned),
        };
        complaints(&toml::from_str(POLICY).unwrap(), &[package]).unwrap().join("; ")
    }

    #[test]
    fn what_the_policy_allows_passes() {
        let source = Some("registry+https://registry.example/index");
        for licence in ["MIT", "MIT OR GPL-3.0", "MIT/Apache-2.0", "(MIT AND Apache-2.0) OR Zlib"] {
            assert_eq!(complaint("fine", Some(licence), source), "", "{licence}");
        }
        assert_eq!(complaint("special", Some("MPL-2.0"), None), "");
    }

    #[test]
    fn everything_else_is_named() {
        for (name, licence, source, expected) in [
            ("a", None, None, "a 1.0.0: names no licence"),
            ("a", Some("MPL-2.0"), None, "a 1.0.0: its licence \"MPL-2.0\" is not allowed"),
            ("a", Some("MIT AND GPL-3.0"), None, "a 1.0.0: its licence \"MIT AND GPL-3.0\" is not allowed"),
            ("a", Some("MIT"), Some("git+https://x"), "a 1.0.0: comes from the unknown source git+https://x"),
            ("unwanted", Some("MIT"), None, "unwanted 1.0.0: banned (too heavy)"),
        ] {
            assert_eq!(complaint(name, licence, source), expected);
        }
        assert!(complaint("a", Some("Own-Licence"), None).contains("cannot be read"));
    }
}
