//! What several conventions need of a text.

use std::collections::HashMap;

use citesieve::Source;
use memchr::memmem;

/// The lines of a text: where each starts, and the line without its end.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Digits at the start of a text, and what follows them. Not more than nine: no list is that long.
pub(super) fn number(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=9).contains(&end).then(|| text.split_at(end))
}

/// How a passage opens and closes: what stands before and behind its number.
pub(super) struct Brackets {
    pub(super) open: (&'static str, &'static str),
    pub(super) close: (&'static str, &'static str),
}

impl Brackets {
    /// The passages between an opening and the next closing of the same number. What opens inside one is part of it;
    /// what never closes is known by its number, if any other does.
    pub(super) fn passages(&self, text: &str) -> Vec<Source> {
        let mut closings: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
        for (at, id, end) in marks(text, self.close) {
            closings.entry(id).or_default().push((at, end));
        }
        if closings.is_empty() {
            return Vec::new();
        }
        let (mut sources, mut closed, mut behind) = (Vec::new(), false, 0);
        for (at, id, start) in marks(text, self.open) {
            if at < behind {
                continue;
            }
            let candidates = closings.get(id).map_or(&[][..], Vec::as_slice);
            let mut source = Source::new(id);
            if let Some((end, after)) = candidates.get(candidates.partition_point(|(at, _)| *at < start)) {
                behind = *after;
                if is_ellipsis(&text[start..*end]) {
                    continue;
                }
                source.text = Some(text[start..*end].trim().to_owned());
                closed = true;
            }
            sources.push(source);
        }
        if closed { sources } else { Vec::new() }
    }
}

/// Where a number stands between two strings: start, number, end.
fn marks<'t>(
    text: &'t str,
    (before, behind): (&'static str, &'static str),
) -> impl Iterator<Item = (usize, &'t str, usize)> {
    memmem::find_iter(text.as_bytes(), before).filter_map(move |at| {
        let (id, rest) = number(&text[at + before.len()..])?;
        let rest = rest.strip_prefix(behind)?;
        Some((at, id, text.len() - rest.len()))
    })
}

/// A tag as some program wrote it: not escaped, perhaps without quotation marks.
#[derive(Debug)]
pub(super) struct Tag<'t> {
    /// Where it starts, and where what is behind it does.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Name and value, in order.
    pub(super) attributes: Vec<(&'t str, &'t str)>,
    /// It ends with `/>`.
    pub(super) empty: bool,
}

/// A longer tag (bytes) is none.
const MAX_TAG: usize = 4096;
/// A longer value is none. Bounds what a tag that never ends costs.
const MAX_VALUE: usize = 1024;

impl<'t> Tag<'t> {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&'t str> {
        self.attributes.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Every tag with this opening (`<item`) and at least one attribute, in order. None reaches over the next opening,
    /// so that all of them cost the text's length.
    pub(super) fn all(text: &'t str, opening: &str) -> impl Iterator<Item = Tag<'t>> {
        let (places, length) = (places(text, opening), opening.len());
        (0..places.len()).filter_map(move |index| {
            let end = places.get(index + 1).copied().unwrap_or(text.len());
            Tag::read(&text[..end], places[index], places[index] + length)
        })
    }

    fn read(text: &'t str, start: usize, mut at: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let mut attributes = Vec::new();
        loop {
            let space = bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            at += space;
            match bytes.get(at)? {
                b'>' => break,
                b'/' if bytes.get(at + 1) == Some(&b'>') => break,
                byte if space > 0 && byte.is_ascii_alphabetic() && at - start < MAX_TAG => {}
                _ => return None,
            }
            let name = bytes[at..].iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
            let equals = at + name;
            if name > 64 || bytes.get(equals) != Some(&b'=') {
                return None;
            }
            let from = equals + 1;
            let value = match bytes.get(from)? {
                quote @ (b'"' | b'\'') => {
                    // The mark that ends it stands before the end or another attribute: names are not escaped.
                    let ends = |end: usize| {
                        let rest = &bytes[end + 1..];
                        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
                        rest.starts_with(b">") || rest.starts_with(b"/>") || another(&bytes[end + 1..])
                    };
                    let area = &bytes[from + 1..bytes.len().min(from + 1 + MAX_VALUE)];
                    let area = &area[..memchr::memchr(b'\n', area).unwrap_or(area.len())];
                    let end = memchr::memchr_iter(*quote, area).map(|end| from + 1 + end).find(|end| ends(*end))?;
                    from + 1..end
                }
                // To the end of the tag: what is not quoted may hold spaces.
                _ => {
                    let area = &bytes[from..bytes.len().min(from + MAX_VALUE)];
                    let end = memchr::memchr3(b'>', b' ', b'\n', area)?;
                    let end = match area[end] {
                        b' ' if !another(&bytes[from + end..]) => memchr::memchr2(b'>', b'\n', area)?,
                        _ => end,
                    };
                    from..from + end
                }
            };
            at = if matches!(bytes[from], b'"' | b'\'') { value.end + 1 } else { value.end };
            attributes.push((&text[equals - name..equals], &text[value]));
        }
        if attributes.is_empty() {
            return None;
        }
        let empty = bytes[at] == b'/';
        Some(Tag { start, end: at + 1 + usize::from(empty), attributes, empty })
    }
}

/// Whether white space and another attribute come.
fn another(bytes: &[u8]) -> bool {
    let space = bytes.iter().take(8).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if space == 0 {
        return false;
    }
    let rest = &bytes[space..];
    let name = rest.iter().take(32).take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')).count();
    name > 0 && rest.get(name) == Some(&b'=')
}

/// Whether there is nothing but dots: a prompt that explains the form.
pub(super) fn is_ellipsis(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| matches!(c, '.' | '…'))
}

/// The words behind the five entities that XML has, and an apostrophe by its number.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entities =
            [("&amp;", '&'), ("&lt;", '<'), ("&gt;", '>'), ("&quot;", '"'), ("&apos;", '\''), ("&#39;", '\'')];
        let (taken, char) = entities.into_iter().find(|(name, _)| rest.starts_with(name)).unwrap_or(("&", '&'));
        out.push(char);
        rest = &rest[taken.len()..];
    }
    out.push_str(rest);
    out
}

/// Where a string stands, in order.
pub(super) fn places(text: &str, what: &str) -> Vec<usize> {
    memmem::find_iter(text.as_bytes(), what).collect()
}

/// The last of these places that is at least `from` and before `to`.
pub(super) fn last_between(places: &[usize], from: usize, to: usize) -> Option<usize> {
    let end = places.partition_point(|at| *at < to);
    places[..end].last().copied().filter(|at| *at >= from)
}

/// The first of these places that is at least `from`.
pub(super) fn first_from(places: &[usize], from: usize) -> Option<usize> {
    places.get(places.partition_point(|at| *at < from)).copied()
}

/// What a prompt shows as an example is none of its sources: places inside of what stands between two such lines.
pub(super) struct Examples(Vec<std::ops::Range<usize>>);

impl Examples {
    /// Finds them: from a line of dashes, "Example" and "START" (or a heading "… Examples:") to one with "END".
    pub(super) fn of(text: &str) -> Self {
        let mut list = Vec::new();
        let mut open = None;
        for (at, line) in lines(text) {
            let line = line.trim();
            let mentions = line.len() < 80 && (line.contains("Example") || line.contains("EXAMPLE"));
            if !mentions {
                continue;
            }
            if line.ends_with("END ---") {
                list.push(open.take().unwrap_or(at)..at + line.len());
            } else if open.is_none() && (line.ends_with("START ---") || (line.starts_with('#') && line.ends_with(':')))
            {
                open = Some(at);
            }
        }
        Examples(list)
    }

    /// Whether this place is in an example.
    pub(super) fn hold(&self, at: usize) -> bool {
        let index = self.0.partition_point(|range| range.end <= at);
        self.0.get(index).is_some_and(|range| range.start <= at)
    }
}
