//! `location/provide`: files that the host says instead of the disk.

use super::{
    call::Call,
    error::RpcError,
    params::{Param, Params, plain},
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::path::PathBuf;
use told::{
    domain::reason::UnavailableReason,
    ports::{Provided, Provision},
};

pub(super) fn read(method: &'static str, raw: Option<&RawValue>) -> Result<Call, RpcError> {
    let params = Params::open(method, raw, &["directory", "files"])?;
    let Provisions(files) = params.required("files")?;
    Ok(Call::Provide { directory: params.required("directory")?, files })
}

struct Provisions(Vec<Provision>);

impl Param for Provisions {
    fn read(raw: &RawValue) -> Result<Self, String> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Given {
            path: PathBuf,
            content: Option<String>,
            absent: Option<True>,
            unavailable: Option<UnavailableReason>,
            withdraw: Option<True>,
        }
        const MUST: &str = "a list of {path, content}, {path, absent: true}, {path, unavailable: \
                            reason} and {path, withdraw: true}";
        let given: Vec<Given> = plain(raw, MUST)?;
        let provisions = given.into_iter().map(|given| {
            let Given { path, content, absent, unavailable, withdraw } = given;
            let provided = match (content, absent, unavailable, withdraw) {
                (Some(content), None, None, None) => {
                    Some(Provided::Content(content.into_bytes().into()))
                }
                (None, Some(True), None, None) => Some(Provided::Absent),
                (None, None, Some(reason), None) => Some(Provided::Unavailable(reason)),
                (None, None, None, Some(True)) => None,
                _ => return Err(format!("must be {MUST}")),
            };
            Ok(Provision { path, provided })
        });
        provisions.collect::<Result<_, _>>().map(Self)
    }
}

/// `true`, and nothing else.
#[derive(Deserialize)]
#[serde(try_from = "bool")]
struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("only true can be said") }
    }
}
