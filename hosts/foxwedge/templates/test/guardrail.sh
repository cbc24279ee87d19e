"$host" plugins check plugins/@ID@.so
"$host" config check host.json

"$host" run host.json --prompt "a forbidden thing" >denied && fail "it let the word pass"
"$host" run host.json --prompt "a harmless thing" >allowed || fail "it stopped what is harmless"
grep -q "hello" allowed || fail "there is no answer: $(cat allowed)"
