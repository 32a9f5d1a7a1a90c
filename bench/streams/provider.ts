import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// The provider of the bench: each response is a stream with an event every `argv[2]` milliseconds for `argv[3]` seconds.
// Events contain their time by the monotonic clock, which all processes share. Run by main.ts as a separate process.

const [everyMs, seconds] = [Number(process.argv[2]), Number(process.argv[3])];
let streams = 0;

createServer((request, response) => {
  request.resume();
  if (request.url !== '/backend-api/codex/responses') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
    return;
  }
  request.once('end', () => stream(response, `resp_${++streams}`));
}).listen(0, '127.0.0.1', function (this: { address: () => unknown }) {
  process.stdout.write(`listening on http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));

function stream(response: ServerResponse, id: string): void {
  let sequence = 0;
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send('response.created', { response: { id, object: 'response', status: 'in_progress' } });
  const ids = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  const until = performance.now() + seconds * 1_000;
  const timer = setInterval(() => {
    if (performance.now() < until) {
      send('response.output_text.delta', {
        ...ids,
        delta: 'a few words more ',
        sent_ns: String(process.hrtime.bigint()),
      });
      return;
    }
    clearInterval(timer);
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    send('response.completed', { response: { id, object: 'response', status: 'completed', output: [], usage } });
    response.end();
  }, everyMs);
  response.once('close', () => clearInterval(timer));
}
