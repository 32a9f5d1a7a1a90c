import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

/** A receiver of notifications, over real HTTP. @param respond by default 204 */
export async function startReceiver() {
  const received: Received[] = [];
  const script: { respond: (response: ServerResponse) => void } = {
    respond: (response) => void response.writeHead(204).end(),
  };
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    received.push({ headers: request.headers, text, body: JSON.parse(text) });
    script.respond(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  /** `<type> <rule>` of what was received, in order. */
  const types = () => received.map(({ body }) => `${body.type} ${body.data?.rule ?? ''}`.trim());
  return {
    port,
    url: `http://127.0.0.1:${port}/hook/secret-path`,
    received,
    types,
    respondWith(status: number, headers: Record<string, string> = {}) {
      script.respond = (response) => void response.writeHead(status, headers).end('a body that is not shown');
    },
    respond: script,
    until: (count: number) => vi.waitUntil(() => received.length >= count, { timeout: 15_000, interval: 5 }),
  };
}
