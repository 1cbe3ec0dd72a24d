//! Parameters by name: what is unknown, missing or of another kind is refused by its name.

use super::error::RpcError;
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, MapAccess, Visitor},
};
use serde_json::value::RawValue;
use std::{borrow::Cow, fmt, path::PathBuf};
use told::domain::{
    key::ApiKey,
    position::{Position, Revision},
    session::{Prior, SessionId, Trust},
};

/// The parameters of one call.
pub(super) struct Params<'a> {
    method: &'static str,
    fields: Vec<(Cow<'a, str>, &'a RawValue)>,
}

/// What a parameter can be.
pub(super) trait Param: Sized {
    /// What is wrong, as the end of a sentence that begins with the parameter's name.
    fn read(raw: &RawValue) -> Result<Self, String>;
}

/// So many unknown names are told at most.
const NAMES_MAX: usize = 8;

impl<'a> Params<'a> {
    /// Opens `raw`, the parameters of `method`, which knows those of `known` and no other.
    pub(super) fn open(
        method: &'static str,
        raw: Option<&'a RawValue>,
        known: &[&str],
    ) -> Result<Self, RpcError> {
        let Some(raw) = raw else { return Ok(Self { method, fields: Vec::new() }) };
        let no_object = |_| {
            let message = "the parameters must be one object, by name";
            RpcError::invalid_params(&["params"], message)
        };
        let Fields(fields) = serde_json::from_str(raw.get()).map_err(no_object)?;
        let unknown = fields.iter().map(|(name, _)| &**name);
        let unknown: Vec<_> =
            unknown.filter(|name| !known.contains(name)).take(NAMES_MAX).collect();
        if !unknown.is_empty() {
            let message = format!(
                "{method} has no parameter {}: it takes {}",
                quoted(&unknown),
                if known.is_empty() { "none".to_owned() } else { quoted(known) }
            );
            return Err(RpcError::invalid_params(&unknown, &message));
        }
        for name in known {
            if fields.iter().filter(|(given, _)| given == name).count() > 1 {
                let message = format!("the parameter `{name}` is given twice");
                return Err(RpcError::invalid_params(&[name], &message));
            }
        }
        Ok(Self { method, fields })
    }

    /// A parameter that must be there.
    pub(super) fn required<T: Param>(&self, name: &str) -> Result<T, RpcError> {
        let missing = || {
            let message = format!("{} needs the parameter `{name}`", self.method);
            RpcError::invalid_params(&[name], &message)
        };
        read(name, self.get(name).ok_or_else(missing)?)
    }

    /// A parameter that may be left out; null counts as that.
    pub(super) fn optional<T: Param>(&self, name: &str) -> Result<Option<T>, RpcError> {
        let given = self.get(name).filter(|raw| raw.get() != "null");
        given.map(|raw| read(name, raw)).transpose()
    }

    /// Whether the parameter is there and not null.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|raw| raw.get() != "null")
    }

    fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.fields.iter().find(|(given, _)| given == name).map(|(_, raw)| *raw)
    }
}

fn read<T: Param>(name: &str, raw: &RawValue) -> Result<T, RpcError> {
    T::read(raw).map_err(|why| RpcError::invalid_params(&[name], &format!("`{name}` {why}")))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// An object's members in order, also those that come twice.
struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Fields<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields<'de>, M::Error> {
                let mut fields = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    fields.push((name, value));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// What `raw` holds; `must` ends a sentence that says what it is to be.
pub(super) fn plain<T: DeserializeOwned>(raw: &RawValue, must: &str) -> Result<T, String> {
    serde_json::from_str(raw.get()).map_err(|_| format!("must be {must}"))
}

macro_rules! param {
    ($($name:ty: $must:literal;)*) => {$(
        impl Param for $name {
            fn read(raw: &RawValue) -> Result<Self, String> {
                plain(raw, $must)
            }
        }
    )*};
}
param! {
    bool: "true or false";
    String: "a string";
    PathBuf: "a path";
    Position: "a whole number from 0 to 18446744073709551615";
    Revision: "a whole number from 0 to 18446744073709551615";
    Prior: "\"none\" or \"unknown\"";
    Trust: "\"trusted\" or \"untrusted\"";
    serde_json::Value: "a JSON value that is not nested too deeply";
    Vec<u64>: "a list of whole numbers";
    Vec<Revision>: "a list of whole numbers";
    Vec<PathBuf>: "a list of paths";
}

impl Param for SessionId {
    fn read(raw: &RawValue) -> Result<Self, String> {
        String::read(raw)?.parse().map_err(|why| format!("names no session: {why}"))
    }
}

impl Param for ApiKey {
    fn read(raw: &RawValue) -> Result<Self, String> {
        String::read(raw)?.parse().map_err(|why| format!("is no key: {why}"))
    }
}

/// A count from 1.
pub(super) struct Count(pub(super) usize);

impl Param for Count {
    fn read(raw: &RawValue) -> Result<Self, String> {
        let count: std::num::NonZeroUsize = plain(raw, "a whole number from 1")?;
        Ok(Self(count.get()))
    }
}

/// What a host says of itself.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Client {
    pub(super) name: String,
    pub(super) version: String,
}

impl Param for Client {
    fn read(raw: &RawValue) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            name: String,
            version: String,
        }
        let given: Given = plain(raw, "an object of the two strings `name` and `version`")?;
        Ok(Self { name: given.name, version: given.version })
    }
}
