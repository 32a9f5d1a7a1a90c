import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

// The provider of the bench, by POST and by websocket: a response has `deltas` events, one every `everyMs` (0: all at once),
// as its request says in `instructions`. Events contain their time by the monotonic clock, which all processes share. Run by
// main.ts as a separate process.

let responses = 0;

interface Wanted {
  readonly everyMs: number;
  readonly deltas: number;
}
const wantedBy = (body: string): Wanted => JSON.parse(JSON.parse(body).instructions) as Wanted;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (request.url !== '/backend-api/codex/responses') {
    response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not Found"}');
    return;
  }
  request.once('end', () => respondByPost(response, wantedBy(Buffer.concat(chunks).toString())));
});

function respondByPost(response: ServerResponse, wanted: Wanted): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const stop = respond(
    wanted,
    (type, event) => response.write(`event: ${type}\ndata: ${event}\n\n`),
    () => response.end(),
  );
  response.once('close', stop);
}

const sockets = new WebSocketServer({ noServer: true });
server.on('upgrade', (request, connection, head) =>
  sockets.handleUpgrade(request, connection, head, (socket: WebSocket) => {
    let stop = (): void => undefined;
    socket.on('message', (data) => {
      stop = respond(
        wantedBy(String(data)),
        (_type, event) => socket.send(event),
        () => undefined,
      );
    });
    socket.once('close', () => stop());
  }),
);

/** @returns a function that ends it early */
function respond(
  { everyMs, deltas }: Wanted,
  send: (type: string, event: string) => void,
  end: () => void,
): () => void {
  const id = `resp_${++responses}`;
  let sequence = 0;
  const event = (type: string, fields: object): void =>
    send(type, JSON.stringify({ type, sequence_number: sequence++, ...fields }));
  event('response.created', { response: { id, object: 'response', status: 'in_progress' } });
  const at = { item_id: `msg_${id}`, output_index: 0, content_index: 0 };
  const delta = (): void =>
    event('response.output_text.delta', {
      ...at,
      delta: 'a few words more ',
      sent_ns: String(process.hrtime.bigint()),
    });
  const complete = (): void => {
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    event('response.completed', { response: { id, object: 'response', status: 'completed', output: [], usage } });
    end();
  };
  if (everyMs === 0) {
    for (let sent = 0; sent < deltas; sent++) delta();
    complete();
    return () => undefined;
  }
  let sent = 0;
  const timer = setInterval(() => {
    if (sent++ < deltas) return delta();
    clearInterval(timer);
    complete();
  }, everyMs);
  return () => clearInterval(timer);
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
