"$host" plugins check plugins/@ID@.so
"$host" config check host.json

"$host" --json call host.json @NAME@_remember '{"key": "answer", "text": "41"}' >first
"$host" --json call host.json @NAME@_remember '{"key": "answer", "text": "42"}' >second
grep -q '"before":null' first || fail "the first call found something: $(cat first)"
grep -q '"before":"41"' second || fail "the second call did not find the first: $(cat second)"
