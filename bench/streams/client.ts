import { Agent, request } from 'node:http';

// The clients of the bench: opens `argv[4]` streams at `argv[2]` with the key `argv[3]`, spread over `argv[5]` seconds, and
// reports the delays of events every five seconds. Run by main.ts as a separate process.

const [, , url = '', key = '', streams = '', rampSeconds = ''] = process.argv;
const [count, rampMs] = [Number(streams), Number(rampSeconds) * 1_000];
const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
const REPORT_INTERVAL_MS = 5_000;
let delaysMs: number[] = [];
let [open, ended, broken] = [0, 0, 0];

for (let index = 0; index < count; index++) setTimeout(openStream, (rampMs * index) / count, index);

const timer = setInterval(() => {
  report();
  if (ended + broken === count) {
    clearInterval(timer);
    agent.destroy();
  }
}, REPORT_INTERVAL_MS);

function openStream(index: number): void {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
  const sent = request(url, { method: 'POST', agent, headers }, (response) => {
    open++;
    let tail = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      const now = process.hrtime.bigint();
      for (const [, sentNs = '0'] of chunk.matchAll(/"sent_ns":"(\d+)"/g))
        delaysMs.push(Number(now - BigInt(sentNs)) / 1e6);
      tail = (tail + chunk).slice(-2_000);
    });
    response.once('close', () => {
      open--;
      if (response.statusCode === 200 && tail.includes('response.completed')) ended++;
      else broken++;
    });
  });
  sent.once('error', () => broken++);
  const input = [{ type: 'message', role: 'user', content: `Conversation ${index}` }];
  const conversation = { prompt_cache_key: `bench-${index}`, instructions: 'Be slow.', input };
  sent.end(JSON.stringify({ model: 'gpt-5.1', stream: true, store: false, ...conversation }));
}

function report(): void {
  process.stdout.write(
    `${JSON.stringify({ open, ended, broken, delaysMs: delaysMs.map((ms) => Number(ms.toFixed(3))) })}\n`,
  );
  delaysMs = [];
}
