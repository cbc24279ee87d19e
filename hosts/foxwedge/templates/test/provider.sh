"$host" plugins check plugins/@ID@.so --answer "$here/answer.json"

# A service of our own, which answers what answer.json holds to whoever has the key.
mkfifo port
python3 "$here/service.py" "$here/answer.json" >port &
service=$!
trap 'kill "$service"; rm -rf "$work"' EXIT
read -r port <port
sed "s/PORT/$port/" "$here/host.json" >host.json
"$host" config check host.json
@UPPER@_KEY=open-sesame "$host" run host.json --prompt "hello" >answer || fail "the run failed"
grep -q "Hello, world" answer || fail "another answer: $(cat answer)"
@UPPER@_KEY=wrong "$host" run host.json --prompt "hello" >refused 2>&1 && fail "it went without the key"
grep -q "unauthorized" refused || fail "another refusal: $(cat refused)"
