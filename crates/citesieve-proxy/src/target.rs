//! Where a request goes: what is refused before anything else, which route it takes, and its address there.

use std::sync::Arc;

use http::uri::{PathAndQuery, Uri};
use http::{HeaderMap, Method, Request, StatusCode, Version, header};

use crate::config::Route;
use crate::error::Refusal;
use crate::headers;

/// Refuses what no reverse proxy should pass on.
pub(crate) fn check<B>(request: &Request<B>, most_header: usize) -> Result<(), Refusal> {
    let one = request.version() < Version::HTTP_2;
    if matches!(*request.method(), Method::CONNECT | Method::TRACE) {
        let message = format!("{} is not supported", request.method());
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message)
            .with(header::ALLOW, "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"));
    }
    if one && request.uri().authority().is_some() {
        let message = "this is no open proxy: send the path only, not the whole address";
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, message));
    }
    if request.version() == Version::HTTP_11 && request.headers().get_all(header::HOST).iter().count() != 1 {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "one Host header expected"));
    }
    if size(request.uri(), request.headers()) > most_header {
        let message = format!("the head of the request is longer than {most_header} bytes");
        return Err(Refusal::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message));
    }
    if !is_plain(request.uri().path()) {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "a path with . or .. in it is not passed on"));
    }
    if let Some(wanted) = upgrade(request.headers()) {
        let message = format!("an upgrade to {wanted} is not passed on: what it carries could not be checked");
        return Err(Refusal::new(StatusCode::NOT_IMPLEMENTED, message));
    }
    Ok(())
}

/// The size of a head: of its address, names and values.
fn size(uri: &Uri, headers: &HeaderMap) -> usize {
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    headers.iter().fold(target, |sum, (name, value)| sum + name.as_str().len() + value.len() + 4)
}

/// Whether no segment of a path is `.` or `..`, however it is spelled: an upstream that resolves them, before or after
/// it decodes them, would leave the route.
fn is_plain(path: &str) -> bool {
    let mut decoded = path.to_owned();
    // What is decoded twice somewhere behind.
    for _ in 0..3 {
        if decoded.split(['/', '\\']).any(|segment| {
            let name = segment.split(';').next().unwrap_or_default();
            name == "." || name == ".."
        }) || decoded.contains(['\0', '\r', '\n'])
        {
            return false;
        }
        let again = decode(&decoded);
        if again == decoded {
            return true;
        }
        decoded = again;
    }
    // Deeper than anything sensible.
    false
}

/// Undoes percent-encoding where it hides characters that make up paths.
fn decode(path: &str) -> String {
    let mut decoded = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|code| u8::from_str_radix(code, 16).ok());
        match code {
            Some(byte @ (b'.' | b'/' | b'\\' | b'%' | b';' | 0 | b'\r' | b'\n')) => {
                decoded.push(char::from(byte));
                rest = &rest[at + 3..];
            }
            _ => {
                decoded.push('%');
                rest = &rest[at + 1..];
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// The protocol that a request wants to go on with, other than HTTP/2, which it may have from its first byte.
fn upgrade(map: &HeaderMap) -> Option<String> {
    if !headers::lists(map, &header::CONNECTION, "upgrade") {
        return None;
    }
    let value = map.get(header::UPGRADE)?.to_str().unwrap_or("another protocol");
    let wanted = value.split(',').map(str::trim).find(|name| !name.eq_ignore_ascii_case("h2c") && !name.is_empty())?;
    Some(wanted.chars().take(40).collect())
}

/// The route of a path: the longest whose segments it begins with.
pub(crate) fn route<'a>(routes: &'a [Arc<Route>], path: &str) -> Option<&'a Arc<Route>> {
    routes.iter().find(|route| {
        route.path == "/"
            || path.strip_prefix(route.path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

/// The address of a request at its upstream.
pub(crate) fn address(route: &Route, uri: &Uri) -> Result<Uri, Refusal> {
    let rest = &uri.path()[route.strip..];
    let mut target = String::with_capacity(route.base.len() + rest.len() + 1);
    target.push_str(&route.base);
    if !rest.starts_with('/') {
        target.push('/');
    }
    target.push_str(rest);
    if let Some(query) = uri.query() {
        target.push('?');
        target.push_str(query);
    }
    let target = PathAndQuery::try_from(target);
    let target = target.map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "the path cannot be passed on"))?;
    let built = Uri::builder().scheme(route.scheme.clone()).authority(route.authority.clone()).path_and_query(target);
    built.build().map_err(|_| Refusal::new(StatusCode::BAD_REQUEST, "the path cannot be passed on"))
}

/// An address for logs: values of the query are masked, but for some that say what kind of answer is wanted.
pub(crate) fn masked(uri: &Uri) -> String {
    let Some(query) = uri.query() else { return uri.path().to_owned() };
    let told = ["alt", "api-version", "stream", "beta", "starting_after", "include_obfuscation"];
    let pairs: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            Some((key, _)) if !told.contains(&key) => format!("{key}=…"),
            Some(_) => pair.to_owned(),
            None if told.contains(&pair) => pair.to_owned(),
            None => "…".to_owned(),
        })
        .collect();
    format!("{}?{}", uri.path(), pairs.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_climb_are_refused() {
        for path in
            ["/", "/v1/chat/completions", "//x", "/a..b/.hidden/...", "/a%20b", "/%2e%2e%2e", "/v1/models/a:b", "/50%"]
        {
            assert!(is_plain(path), "{path}");
        }
        for path in [
            "/..",
            "/a/../b",
            "/a/./b",
            "/a/%2e%2e/b",
            "/a/.%2E/b",
            "/a%2f..%2fb",
            "/a\\..\\b",
            "/a/..%5cb",
            "/a/..;x/b",
            "/%252e%252e/",
            "/a%00b",
            "/a%0d%0ab",
            "/%25252525252e",
        ] {
            assert!(!is_plain(path), "{path}");
        }
    }

    #[test]
    fn queries_are_masked() {
        let masked = |uri: &str| masked(&uri.parse().unwrap());
        assert_eq!(masked("/a"), "/a");
        assert_eq!(masked("/a?key=secret&alt=sse&x"), "/a?key=…&alt=sse&…");
    }

    #[test]
    fn only_upgrades_that_carry_something_else_are_refused() {
        let request = |value: &str| {
            let request =
                Request::get("/").header("host", "a").header("connection", "Upgrade").header("upgrade", value);
            check(&request.body(()).unwrap(), 1000).map_err(|refusal| refusal.status.as_u16())
        };
        assert_eq!(request("websocket"), Err(501));
        assert_eq!(request("h2c, websocket"), Err(501));
        assert_eq!(request("h2c"), Ok(()));
    }
}
