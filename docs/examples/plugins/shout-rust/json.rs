//! As much JSON as a small plugin needs. No crates, Rust 1.63.
#![allow(dead_code)]
use std::fmt;

/// One value. A number stays as it was written, so that no digit is lost.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

static NULL: Json = Json::Null;
const DEEPEST: usize = 128; // as the host itself reads

impl Json {
    /// Reads one JSON text; None if it is none.
    pub fn parse(text: &str) -> Option<Json> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        (reader.at == text.len()).then_some(value)
    }
    /// The member of an object, or null: also when this is no object.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().find(|m| m.0 == name).map_or(&NULL, |m| &m.1),
            _ => &NULL,
        }
    }
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }
    pub fn integer(&self) -> Option<i64> {
        match self {
            Json::Number(digits) => digits.parse().ok(),
            _ => None,
        }
    }
    pub fn is_true(&self) -> bool {
        *self == Json::Bool(true)
    }
    /// The elements of a list; none when this is no list.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(elements) => elements,
            _ => &[],
        }
    }
    pub fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Object(members) => members,
            _ => &[],
        }
    }
}

/// As compact JSON text.
impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{}", value),
            Json::Number(digits) => out.write_str(digits),
            Json::Text(text) => out.write_str(&quoted(text)),
            Json::List(elements) => {
                out.write_str("[")?;
                for (n, element) in elements.iter().enumerate() {
                    write!(out, "{}{}", if n == 0 { "" } else { "," }, element)?;
                }
                out.write_str("]")
            }
            Json::Object(members) => {
                out.write_str("{")?;
                for (n, (name, value)) in members.iter().enumerate() {
                    write!(out, "{}{}:{}", if n == 0 { "" } else { "," }, quoted(name), value)?;
                }
                out.write_str("}")
            }
        }
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

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
    fn take(&mut self, expected: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(expected);
        self.at += there as usize;
        there
    }
    fn word(&mut self, word: &str, value: Json) -> Option<Json> {
        self.text[self.at..].starts_with(word).then(|| {
            self.at += word.len();
            value
        })
    }
    fn value(&mut self, depth: usize) -> Option<Json> {
        self.blanks();
        match self.peek()? {
            _ if depth > DEEPEST => None,
            b'{' => self.object(depth),
            b'[' => self.list(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.word("true", Json::Bool(true)),
            b'f' => self.word("false", Json::Bool(false)),
            b'n' => self.word("null", Json::Null),
            _ => self.number(),
        }
    }
    fn number(&mut self) -> Option<Json> {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let digits = &self.text[from..self.at];
        digits.parse::<f64>().ok().map(|_| Json::Number(digits.into()))
    }
    fn list(&mut self, depth: usize) -> Option<Json> {
        let mut elements = Vec::new();
        self.at += 1;
        if self.take(b']') {
            return Some(Json::List(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Some(Json::List(elements));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }
    fn object(&mut self, depth: usize) -> Option<Json> {
        let mut members = Vec::new();
        self.at += 1;
        if self.take(b'}') {
            return Some(Json::Object(members));
        }
        loop {
            self.blanks();
            let name = self.string()?;
            if !self.take(b':') {
                return None;
            }
            members.push((name, self.value(depth + 1)?));
            if self.take(b'}') {
                return Some(Json::Object(members));
            }
            if !self.take(b',') {
                return None;
            }
        }
    }
    fn string(&mut self) -> Option<String> {
        if !self.take(b'"') {
            return None;
        }
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest.find(|c| c == '"' || c == '\\' || c < ' ')?;
            out += &rest[..plain];
            self.at += plain + 1;
            match rest.as_bytes()[plain] {
                b'"' => return Some(out),
                b'\\' => out.push(self.escaped()?),
                _ => return None,
            }
        }
    }
    fn escaped(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(match c {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unit().map(|unit| self.code_point(unit)),
            b'"' | b'\\' | b'/' => c as char,
            _ => return None,
        })
    }
    fn unit(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(digits, 16).ok()
    }
    /// Half of a pair that stands alone becomes U+FFFD.
    fn code_point(&mut self, unit: u32) -> char {
        let paired = (0xD800..0xDC00).contains(&unit) && self.text[self.at..].starts_with("\\u");
        if paired {
            let before = self.at;
            self.at += 2;
            if let Some(low @ 0xDC00..=0xDFFF) = self.unit() {
                let code = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return char::from_u32(code).unwrap_or('\u{FFFD}');
            }
            self.at = before;
        }
        char::from_u32(unit).unwrap_or('\u{FFFD}')
    }
}
