//! What a whole server does at one moment, which from outside could only be hoped for.

mod moved;

use super::{
    error::{INTERNAL, RpcError},
    message::Answer,
    server::guarded,
};

#[tokio::test]
async fn a_panic_in_a_request_is_an_internal_error() {
    let task = tokio::spawn(async { panic!("inside") });
    let answer: Result<Answer, RpcError> = guarded(task).await;
    assert_eq!(answer.unwrap_err().code, INTERNAL);
}
