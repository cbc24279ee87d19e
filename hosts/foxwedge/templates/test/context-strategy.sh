"$host" plugins check plugins/@ID@.so
"$host" config check host.json

# A model that calls a tool at every turn, four turns long: with "keep": 1 the last of them sees the
# newest group alone. It ends with code 5, because its turns are used up.
code=0
"$host" --json run host.json --prompt "go on" >answer || code=$?
[ "$code" = 5 ] || fail "the run ended with code $code: $(cat answer)"
run=$(sed 's/.*"run":"\([^"]*\)".*/\1/' answer)
"$host" --json --config host.json show "$run" --request helper:iter:3 >shown
grep -q '"keepFrom": 2' shown || fail "another view than the newest: $(cat shown)"
