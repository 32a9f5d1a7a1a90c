import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

// The yardstick: the least that Node needs to pass a request on and its answer back. It looks at nothing, knows nothing and
// writes nothing down, so whatever the product costs above it is the product's own. Run by main.ts as a process of its own.

const provider = new Pool(process.argv[2] ?? '', { connections: null });
const path = '/backend-api/codex/responses';
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);

const server = createServer((request, response) => {
  // A body that arrived whole goes out in one write with its headers; streaming it costs more than gathering it
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks);
    provider.dispatch({ method: 'POST', path, headers: endToEnd(request), body }, passOn(response));
  });
});

function endToEnd({ rawHeaders }: IncomingMessage): string[] {
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!hopByHop.has(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '');
  }
  return headers;
}

function passOn(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('client gone'));
      });
      response.on('drain', () => controller.resume());
    },
    onResponseStart(_controller, status, headers) {
      for (const name in headers) if (hopByHop.has(name)) delete headers[name];
      response.writeHead(status, headers);
    },
    onResponseData(controller, chunk) {
      if (!response.write(chunk)) controller.pause();
    },
    onResponseEnd() {
      response.end();
    },
    onResponseError() {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    },
  };
}

server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.on('SIGTERM', () => process.exit(0));
