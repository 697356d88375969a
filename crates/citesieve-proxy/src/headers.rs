//! Which headers pass, in both directions.

use http::Uri;
use http::header::{self, Entry, HeaderMap, HeaderName, HeaderValue};

use crate::config::Route;

/// Names the set of sources of a request. Not passed on.
pub(crate) const SOURCES: HeaderName = HeaderName::from_static("x-citesieve-sources");

/// Names a response, for its verdict.
pub(crate) const ID: HeaderName = HeaderName::from_static("x-citesieve-id");

const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Headers that are about one connection. `TE` and `Trailer` are, but see [`request`] and [`response`].
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Headers of conditional and partial requests: an edited answer is not what they ask about.
const PARTIAL: [HeaderName; 6] = [
    header::RANGE,
    header::IF_RANGE,
    header::IF_NONE_MATCH,
    header::IF_MATCH,
    header::IF_MODIFIED_SINCE,
    header::IF_UNMODIFIED_SINCE,
];

/// Removes what is about one connection, and what it names as such.
fn remove_hop_by_hop(headers: &mut HeaderMap) {
    // What a client may not name away: it could change what the request is, or whose.
    let kept = [header::HOST, header::CONTENT_LENGTH, header::CONTENT_TYPE, header::AUTHORIZATION, header::COOKIE];
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .filter(|name| !kept.contains(name))
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

/// Whether a list header has this item, whatever its case and parameters.
pub(crate) fn lists(headers: &HeaderMap, name: &HeaderName, item: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|one| {
        let one = one.split(';').next().unwrap_or_default();
        one.trim().eq_ignore_ascii_case(item)
    })
}

/// The headers of a request as the upstream gets them. Returns whether the client takes trailers.
///
/// `Host` goes, as the client that sends them writes the upstream's own; and so does `Content-Length`, as the body
/// knows its own.
pub(crate) fn request(headers: &mut HeaderMap, sieved: bool) -> bool {
    let trailers = lists(headers, &header::TE, "trailers");
    remove_hop_by_hop(headers);
    headers.remove(header::HOST);
    headers.remove(header::CONTENT_LENGTH);
    // It is this proxy that the client asked, and it has read the body or reads it when the upstream does.
    headers.remove(header::EXPECT);
    headers.remove(SOURCES);
    if trailers {
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
    }
    if sieved {
        for name in PARTIAL {
            headers.remove(name);
        }
    }
    join_cookies(headers);
    // Compressed events arrive in batches, if they can be read at all.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    trailers
}

/// HTTP/2 may send cookies one by one, HTTP/1.1 may not (RFC 9113, section 8.2.3).
fn join_cookies(headers: &mut HeaderMap) {
    if headers.get_all(header::COOKIE).iter().nth(1).is_none() {
        return;
    }
    let all: Vec<&[u8]> = headers.get_all(header::COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if let Ok(joined) = HeaderValue::from_bytes(&all.join(&b"; "[..])) {
        headers.insert(header::COOKIE, joined);
    }
}

/// The headers of a response as the client gets them.
pub(crate) fn response(headers: &mut HeaderMap, trailers: bool) {
    // Trailers that are sent on must be announced, as HTTP/1.1 has it, to a client that takes them.
    let announced: Vec<HeaderValue> = match trailers {
        true => headers.get_all(header::TRAILER).iter().cloned().collect(),
        false => Vec::new(),
    };
    remove_hop_by_hop(headers);
    headers.remove(ID);
    for value in announced {
        headers.append(header::TRAILER, value);
    }
}

/// Where a redirection within the upstream leads, as seen from the client: not past this proxy.
pub(crate) fn redirect(headers: &mut HeaderMap, route: &Route) {
    for name in [header::LOCATION, header::CONTENT_LOCATION] {
        let Some(to) = headers.get(&name).and_then(|value| value.to_str().ok()) else { continue };
        let inside = match to.parse::<Uri>() {
            // A whole address, or a path.
            Ok(uri) if uri.authority() == Some(&route.authority) && uri.scheme() == Some(&route.scheme) => {
                uri.path_and_query().map(|target| target.as_str().to_owned())
            }
            Ok(uri) if uri.authority().is_none() && to.starts_with('/') && !to.starts_with("//") => Some(to.to_owned()),
            _ => None,
        };
        let rest = inside.as_deref().and_then(|target| target.strip_prefix(route.base.as_str()));
        let Some(rest) = rest.filter(|rest| rest.is_empty() || rest.starts_with(['/', '?'])) else { continue };
        let path = format!("{}{}", &route.path[..route.strip], if rest.is_empty() { "/" } else { rest });
        if let Ok(value) = path.parse() {
            headers.insert(name, value);
        }
    }
}

/// Tells everything between here and the client not to wait for more of a streamed answer.
pub(crate) fn unbuffered(headers: &mut HeaderMap) {
    if let Entry::Vacant(entry) = headers.entry(ACCEL_BUFFERING) {
        entry.insert(HeaderValue::from_static("no"));
    }
    if let Entry::Vacant(entry) = headers.entry(header::CACHE_CONTROL) {
        entry.insert(HeaderValue::from_static("no-cache"));
    }
}

/// The media type of a message, in lower case and without parameters.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    let value = String::from_utf8_lossy(value);
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&'static str, &'static str)]) -> HeaderMap {
        list.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn what_is_about_one_connection_stays_there() {
        let mut map = headers(&[
            ("connection", "close, X-Mine,host"),
            ("x-mine", "1"),
            ("x-other", "2"),
            ("host", "proxy.example"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("proxy-authorization", "secret"),
            ("accept-encoding", "gzip"),
            ("range", "bytes=0-1"),
            ("authorization", "Bearer x"),
            ("x-citesieve-sources", "a"),
        ]);
        assert!(request(&mut map, true));
        let expected = headers(&[
            ("x-other", "2"),
            ("te", "trailers"),
            ("accept-encoding", "identity"),
            ("authorization", "Bearer x"),
        ]);
        assert_eq!(map, expected);
    }

    #[test]
    fn trailers_are_announced_to_who_takes_them() {
        for takes in [true, false] {
            let mut map = headers(&[("trailer", "x-sum"), ("connection", "x-drop"), ("x-drop", "1"), ("etag", "e")]);
            response(&mut map, takes);
            assert_eq!(map.contains_key("trailer"), takes);
            assert!(!map.contains_key("x-drop") && map.contains_key("etag"));
        }
    }

    #[test]
    fn what_the_upstream_says_about_caches_stands() {
        let mut map = headers(&[("cache-control", "no-store, no-transform")]);
        unbuffered(&mut map);
        assert_eq!(map, headers(&[("cache-control", "no-store, no-transform"), ("x-accel-buffering", "no")]));
    }
}
