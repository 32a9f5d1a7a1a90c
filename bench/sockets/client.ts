import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';

// The clients of the bench: `node client.ts '{...}'`. Each of `conversations` sends `requests` requests, one after the other,
// by POST with the whole conversation, or on a websocket of its own with what is new; `idle` more sockets send nothing. The last line of the output is the report.

interface Order {
  readonly url: string;
  readonly keys: readonly string[];
  readonly transport: 'http' | 'websocket';
  readonly conversations: number;
  readonly requests: number;
  readonly idle: number;
  readonly everyMs: number;
  readonly deltas: number;
}
const order = JSON.parse(process.argv[2] ?? '') as Order;
const delaysMs: number[] = [];
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const idle: WebSocket[] = [];

/** Text of a conversation, and of what is new in each request of it. */
const WHOLE_BYTES = 60_000;
const NEW_BYTES = 2_000;

const bodyOf = (conversation: number, bytes: number): object => ({
  model: 'gpt-5.1',
  stream: true,
  store: false,
  prompt_cache_key: `bench-${conversation}`,
  instructions: JSON.stringify({ everyMs: order.everyMs, deltas: order.deltas }),
  input: [{ type: 'message', role: 'user', content: 'x'.repeat(bytes) }],
});
const headersOf = (conversation: number): Record<string, string> => ({
  authorization: `Bearer ${order.keys[conversation % order.keys.length]}`,
  'session-id': `bench-${conversation}`,
});

function notice(text: string): void {
  const now = process.hrtime.bigint();
  for (const [, sentNs = '0'] of text.matchAll(/"sent_ns":"(\d+)"/g)) delaysMs.push(Number(now - BigInt(sentNs)) / 1e6);
}

function open(conversation: number): Promise<WebSocket> {
  const socket = new WebSocket(order.url.replace('http', 'ws'), {
    headers: headersOf(conversation),
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.once('error', reject);
  });
}

async function bySocket(conversation: number): Promise<void> {
  const socket = await open(conversation);
  const first = JSON.stringify({ type: 'response.create', ...bodyOf(conversation, WHOLE_BYTES) });
  const next = bodyOf(conversation, NEW_BYTES);
  let previous: string | undefined;
  for (let sent = 0; sent < order.requests; sent++) {
    const create = previous
      ? JSON.stringify({ type: 'response.create', ...next, previous_response_id: previous })
      : first;
    await new Promise<void>((resolve, reject) => {
      const onMessage = (data: unknown): void => {
        const text = String(data);
        notice(text);
        if (text.startsWith('{"type":"error"')) reject(new Error(text));
        if (!text.startsWith('{"type":"response.completed"')) return;
        previous = /"id":"(resp_\d+)"/.exec(text)?.[1];
        socket.off('message', onMessage);
        resolve();
      };
      socket.on('message', onMessage);
      socket.send(create);
    });
  }
  socket.terminate();
}

async function byPost(conversation: number): Promise<void> {
  const body = JSON.stringify(bodyOf(conversation, WHOLE_BYTES));
  for (let count = 0; count < order.requests; count++) {
    await new Promise<void>((resolve, reject) => {
      const headers = { 'content-type': 'application/json', ...headersOf(conversation) };
      const sent = request(order.url, { method: 'POST', agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode}`));
        response.setEncoding('utf8').on('data', notice).once('end', resolve).once('error', reject);
      });
      sent.once('error', reject).end(body);
    });
  }
}

// A few at a time, as clients come.
for (let opened = 0; opened < order.idle; opened += 50) {
  const count = Math.min(50, order.idle - opened);
  idle.push(...(await Promise.all(Array.from({ length: count }, (_, index) => open(1_000_000 + opened + index)))));
}
process.stdout.write('{"ready":true}\n');
const startedAt = performance.now();
const serve = order.transport === 'websocket' ? bySocket : byPost;
await Promise.all(Array.from({ length: order.conversations }, (_, index) => serve(index)));
const seconds = (performance.now() - startedAt) / 1_000;
const stillOpen = idle.filter(({ readyState }) => readyState === WebSocket.OPEN).length;
process.stdout.write(
  `${JSON.stringify({ seconds, stillOpen, delaysMs: delaysMs.map((ms) => Number(ms.toFixed(3))) })}\n`,
);
process.stdin.once('data', () => process.exit(0));
process.stdin.once('end', () => process.exit(0));
