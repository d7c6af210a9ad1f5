//! Access tokens: issuing, checking and revoking them.
//!
//! A token is 256 random bits. The file of tokens holds digests only, so it cannot be used to call
//! anything. What a caller may do with a token is written in its [`TokenRecord`]; enforcing it is the
//! job of the request handler.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

mod last_use;
mod shared;

#[cfg(test)]
mod tests;

pub use last_use::last_use;
pub use shared::SharedTokens;
pub(crate) use shared::inode;

/// Beginning of every token, so that scanners for leaked credentials can spot one.
const PREFIX: &str = "lbk_";

/// Something that a token allows beyond calling stored queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Sending a query of one's own over the sub-tables.
    Sandbox,
    /// Switching the redaction of personal data off.
    Unredacted,
    /// Asking for a result that is not cached.
    Refresh,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Scope; 3] = [Scope::Sandbox, Scope::Unredacted, Scope::Refresh];

    /// Returns the name as it stands in files and flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Sandbox => "sandbox",
            Scope::Unredacted => "unredacted",
            Scope::Refresh => "refresh",
        }
    }
}

impl FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Scope::ALL
            .into_iter()
            .find(|scope| scope.name() == text)
            .ok_or_else(|| {
                let known = Scope::ALL.map(Scope::name).join("`, `");
                format!("there is no scope `{text}`; the scopes are `{known}`")
            })
    }
}

/// What a token shall be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewToken {
    /// What the token is called; unique.
    pub name: String,
    /// When it was made.
    pub created: jiff::Timestamp,
    /// The first instant at which it is worth nothing; never when absent.
    pub expires: Option<jiff::Timestamp>,
    /// The endpoints it may call: names, with `*` for any characters. None at all means all of them.
    pub endpoints: Vec<String>,
    /// Parameters that the token sets and the caller cannot.
    pub pins: BTreeMap<String, String>,
    /// What it allows beyond stored queries.
    pub scopes: BTreeSet<Scope>,
}

/// A token as it is stored: everything but the token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// What the token is called; unique.
    pub name: String,
    digest: TokenDigest,
    /// When it was made.
    pub created: jiff::Timestamp,
    /// The first instant at which it is worth nothing; never when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<jiff::Timestamp>,
    /// The endpoints it may call: names, with `*` for any characters.
    pub endpoints: Vec<String>,
    /// What it allows beyond stored queries.
    pub scopes: BTreeSet<Scope>,
    /// Parameters that the token sets and the caller cannot.
    #[serde(default)]
    pub pins: BTreeMap<String, String>,
}

impl TokenRecord {
    /// Returns whether the token may call the endpoint of this name.
    #[must_use]
    pub fn may_call(&self, endpoint: &str) -> bool {
        self.endpoints
            .iter()
            .any(|pattern| matches(pattern, endpoint))
    }

    /// Returns whether the token has a scope.
    #[must_use]
    pub fn has_scope(&self, scope: Scope) -> bool {
        self.scopes.contains(&scope)
    }

    /// Returns whether the token is worth nothing any more.
    #[must_use]
    pub fn is_expired(&self, now: jiff::Timestamp) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }
}

impl fmt::Debug for TokenRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            digest: _,
            created,
            expires,
            endpoints,
            scopes,
            pins,
        } = self;
        f.debug_struct("TokenRecord")
            .field("name", name)
            .field("created", created)
            .field("expires", expires)
            .field("endpoints", endpoints)
            .field("scopes", scopes)
            .field("pins", pins)
            .finish_non_exhaustive()
    }
}

/// Why tokens cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("reading the tokens {} failed: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is no token file. The text begins with the file and its place.
    #[error("{0}")]
    Malformed(String),
    /// The file cannot be written.
    #[error("writing the tokens {} failed: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The new token cannot be as described.
    #[error("{0}")]
    Refused(String),
    /// The system has no randomness.
    #[error("no random bits: {0}")]
    Random(String),
}

/// The tokens of one file. Without any token, nobody can call anything.
#[derive(Clone, Debug)]
pub struct TokenStore {
    path: PathBuf,
    records: Vec<TokenRecord>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    #[serde(default)]
    token: Vec<TokenRecord>,
}

impl TokenStore {
    /// Reads a file of tokens; one that does not exist holds none.
    ///
    /// # Errors
    /// A file that cannot be read or is no token file.
    pub fn open(path: &Path) -> Result<Self, TokenError> {
        Ok(Self {
            path: path.to_owned(),
            records: read(path)?,
        })
    }

    /// Makes a token, stores its digest and returns it. It cannot be shown again.
    ///
    /// # Errors
    /// A name that is taken or malformed, a malformed pattern or pin, a file that cannot be written.
    pub fn create(&mut self, new: NewToken) -> Result<String, TokenError> {
        check(&new)?;
        let lock = self.lock()?;
        let mut records = read(&self.path)?;
        if records.iter().any(|record| record.name == new.name) {
            let message = format!("there is a token `{}` already", new.name);
            return Err(TokenError::Refused(message));
        }
        let mut bits = [0; 32];
        getrandom::fill(&mut bits).map_err(|error| TokenError::Random(error.to_string()))?;
        let token = format!("{PREFIX}{}", URL_SAFE_NO_PAD.encode(bits));
        let NewToken {
            name,
            created,
            expires,
            endpoints,
            pins,
            scopes,
        } = new;
        records.push(TokenRecord {
            name,
            digest: TokenDigest::of(&token),
            created,
            expires,
            endpoints: if endpoints.is_empty() {
                vec!["*".into()]
            } else {
                endpoints
            },
            scopes,
            pins,
        });
        self.replace(records)?;
        drop(lock);
        Ok(token)
    }

    /// Returns all tokens in the order they were made.
    #[must_use]
    pub fn list(&self) -> &[TokenRecord] {
        &self.records
    }

    /// Removes a token and returns whether there was one of this name.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn revoke(&mut self, name: &str) -> Result<bool, TokenError> {
        // Where there is no file there is no folder to lock either.
        if !self.path.exists() {
            self.records.clear();
            return Ok(false);
        }
        let lock = self.lock()?;
        let mut records = read(&self.path)?;
        let before = records.len();
        records.retain(|record| record.name != name);
        let found = records.len() < before;
        if found {
            self.replace(records)?;
        }
        drop(lock);
        Ok(found)
    }

    /// Returns what a token allows, or `None` when it is unknown or expired.
    ///
    /// Takes the same time for every token that is not known.
    #[must_use]
    pub fn authenticate(&self, token: &str, now: jiff::Timestamp) -> Option<&TokenRecord> {
        let digest = TokenDigest::of(token);
        let mut found = None;
        for record in &self.records {
            if bool::from(record.digest.0.ct_eq(&digest.0)) {
                found = Some(record);
            }
        }
        found.filter(|record| !record.is_expired(now))
    }

    /// Returns the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether a token is in force at an instant, so that somebody can call.
    #[must_use]
    pub fn has_valid(&self, now: jiff::Timestamp) -> bool {
        self.records.iter().any(|record| !record.is_expired(now))
    }

    /// Waits until no other process changes the file. The lock is on the folder, because the file
    /// itself is replaced.
    fn lock(&self) -> Result<File, TokenError> {
        lock_folder_of(&self.path).map_err(|cause| self.write_error(cause))
    }

    /// Writes the records aside and moves them into place, so that a reader sees the old or the new.
    fn replace(&mut self, records: Vec<TokenRecord>) -> Result<(), TokenError> {
        let file = TokenFile { token: records };
        let text = toml::to_string(&file).map_err(|e| self.write_error(io::Error::other(e)))?;
        write_aside(&self.path, &text).map_err(|cause| self.write_error(cause))?;
        self.records = file.token;
        Ok(())
    }

    fn write_error(&self, cause: io::Error) -> TokenError {
        TokenError::Write {
            path: self.path.clone(),
            cause,
        }
    }
}

fn read(path: &Path) -> Result<Vec<TokenRecord>, TokenError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(cause) => {
            let path = path.to_owned();
            return Err(TokenError::Read { path, cause });
        }
    };
    let file: TokenFile = crate::toml_text::read(&text).map_err(|mistake| {
        TokenError::Malformed(mistake.render(&path.display().to_string(), &text))
    })?;
    Ok(file.token)
}

/// Waits until no other process changes a file that is replaced and not written to.
fn lock_folder_of(path: &Path) -> io::Result<File> {
    let folder = folder_of(path);
    fs::create_dir_all(folder)?;
    let folder = File::open(folder)?;
    folder.lock()?;
    Ok(folder)
}

/// Writes a file aside and moves it into place, under the lock of its folder.
fn write_aside(path: &Path, text: &str) -> io::Result<()> {
    let folder = folder_of(path);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    // Whoever held the lock and was killed may have left one.
    match fs::remove_file(folder.join(&name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // A temporary file is readable by its owner only.
    let mut aside = tempfile::Builder::new()
        .prefix(&name)
        .rand_bytes(0)
        .tempfile_in(folder)?;
    aside.write_all(text.as_bytes())?;
    aside.as_file().sync_all()?;
    aside.persist(path).map_err(io::Error::from)?;
    File::open(folder)?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn check(new: &NewToken) -> Result<(), TokenError> {
    let refuse = |message: String| Err(TokenError::Refused(message));
    let is_name = !new.name.is_empty()
        && new.name.chars().count() <= 64
        && !new.name.chars().any(char::is_control)
        && new.name.trim() == new.name;
    if !is_name {
        return refuse(
            "the name of a token has 1 to 64 characters and no space around them".into(),
        );
    }
    if let Some(pattern) = new.endpoints.iter().find(|pattern| !is_pattern(pattern)) {
        return refuse(format!(
            "`{pattern}` is no pattern for endpoints: write a name, with `*` for any characters"
        ));
    }
    if let Some((name, value)) = new
        .pins
        .iter()
        .find(|(name, value)| name.is_empty() || value.is_empty() || value.contains('\0'))
    {
        return refuse(format!(
            "the pin `{name}={value}` needs a parameter and a value"
        ));
    }
    if new.is_expired() {
        return refuse("the token would expire before it is made".into());
    }
    Ok(())
}

impl NewToken {
    fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= self.created)
    }
}

fn is_pattern(pattern: &str) -> bool {
    !pattern.is_empty()
        && pattern
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-' | b'*'))
}

/// Returns whether a name is described by a pattern in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let end = parts.pop().unwrap_or_default();
    // The leftmost place of each part leaves the most for those after it.
    for part in parts {
        match name.split_once(part) {
            Some((_, after)) => name = after,
            None => return false,
        }
    }
    name.ends_with(end)
}

/// SHA-256 of a token. A slow hash would protect a weak password; a token has 256 random bits.
#[derive(Clone, PartialEq, Eq)]
struct TokenDigest([u8; 32]);

impl TokenDigest {
    fn of(token: &str) -> Self {
        Self(Sha256::digest(token.as_bytes()).into())
    }
}

impl Serialize for TokenDigest {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl<'de> Deserialize<'de> for TokenDigest {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        URL_SAFE_NO_PAD
            .decode(&text)
            .ok()
            .and_then(|bytes| bytes.try_into().ok())
            .map(Self)
            // The text is left out: an error message must not show a digest.
            .ok_or_else(|| serde::de::Error::custom("`digest` is no SHA-256 digest in base64url"))
    }
}
