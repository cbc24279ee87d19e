// Reads texts, a JSON array, from stdin; writes how many tokens each has for GPT-4o and later.
import { encode } from 'gpt-tokenizer/encoding/o200k_base';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const texts = JSON.parse(Buffer.concat(chunks).toString('utf8'));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
