import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

// The baseline: the minimum that Node needs to forward a request and relay its response. It neither parses
// nor records anything, so any further cost is that of the product. Run by main.ts as a separate process.

const provider = new Pool(process.argv[2] ?? '', { connections: null });
const PATH = '/backend-api/codex/responses';
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);

const server = createServer((request, response) => {
  // Sends a complete body in one write with the headers, because streaming costs more than collecting it.
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks);
    provider.dispatch({ method: 'POST', path: PATH, headers: endToEnd(request), body }, relayTo(response));
  });
});

function endToEnd({ rawHeaders }: IncomingMessage): string[] {
  const headers: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.push(name, rawHeaders[index + 1] ?? '');
  }
  return headers;
}

function relayTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on('close', () => {
        if (!response.writableFinished) controller.abort(new Error('the client disconnected'));
      });
      response.on('drain', () => controller.resume());
    },
    onResponseStart(_controller, status, headers) {
      for (const name in headers) if (HOP_BY_HOP.has(name)) delete headers[name];
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
