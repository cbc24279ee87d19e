//! Just enough JSON for small objects whose member names are not used twice.
#![allow(dead_code)]

/// The text of member `name`, at any depth; None if there is none or it is no text.
pub fn text_member(json: &str, name: &str) -> Option<String> {
    let mut at = json.chars().peekable();
    let mut key = None;
    while let Some(c) = at.next() {
        match c {
            '"' => {
                let found = string(&mut at)?;
                match key.take() {
                    None => key = Some(found),
                    Some(k) if k == name => return Some(found),
                    Some(_) => {}
                }
            }
            ',' | '{' => key = None, // the value before was no text
            _ => {}
        }
    }
    None
}

/// What stands behind `"name":`, up to the end of the whole text.
fn after<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let at = json.find(&quoted(name))?;
    json[at..].split_once(':').map(|(_, rest)| rest.trim_start())
}

/// The integer of member `name`; true and false count as 1 and 0.
pub fn integer_member(json: &str, name: &str) -> Option<i64> {
    let rest = after(json, name)?;
    match rest {
        _ if rest.starts_with("true") => Some(1),
        _ if rest.starts_with("false") => Some(0),
        _ => {
            let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
            rest[..end].parse().ok()
        }
    }
}

/// The object of member `name` as it stands there, if it holds neither objects nor texts with '}'.
pub fn object_member<'a>(json: &'a str, name: &str) -> Option<&'a str> {
    let rest = after(json, name)?;
    let end = rest.find('}')?;
    rest.starts_with('{').then(|| &rest[..=end])
}

/// What stands before the closing quote, its escapes resolved.
fn string(at: &mut impl Iterator<Item = char>) -> Option<String> {
    let mut out = String::new();
    let mut high = 0;
    loop {
        let c = match at.next()? {
            '"' => return Some(out),
            '\\' => match at.next()? {
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => {
                    let mut unit = 0;
                    for _ in 0..4 {
                        unit = unit * 16 + at.next()?.to_digit(16)?;
                    }
                    if (0xD800..0xDC00).contains(&unit) {
                        high = unit; // the second half follows
                        continue;
                    }
                    let code = if (0xDC00..0xE000).contains(&unit) && high != 0 {
                        0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00)
                    } else {
                        unit
                    };
                    char::from_u32(code).unwrap_or('\u{FFFD}')
                }
                other => other,
            },
            other => other,
        };
        high = 0;
        out.push(c);
    }
}

/// `text` as a JSON string.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out += &format!("\\u{:04x}", c as u32),
            c => out.push(c),
        }
    }
    out + "\""
}
