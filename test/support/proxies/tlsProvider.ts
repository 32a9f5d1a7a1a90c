import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { certificate } from '../certificate.ts';

export interface TlsProvider {
  /** `https://localhost:<port>`, or another name instead of localhost. */
  at(name?: string): string;
  readonly port: number;
  /** The number of connections so far. */
  readonly connections: number;
  close(): Promise<void>;
}

/** Puts TLS in front of the simulated provider, or another server, and counts the connections that reach it. */
export async function startTlsProvider(
  baseUrl: string,
  identity: { readonly cert: string; readonly key: string } = certificate,
): Promise<TlsProvider> {
  const { hostname, port: target } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer({ cert: identity.cert, key: identity.key }, (client) => {
    connections += 1;
    const provider = connect({ host: hostname, port: Number(target) });
    for (const socket of [client, provider]) sockets.add(socket.on('error', () => undefined));
    client.on('close', () => provider.destroy());
    provider.on('close', () => client.destroy());
    client.pipe(provider).pipe(client);
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at: (name = 'localhost') => `https://${name}:${port}`,
    port,
    get connections() {
      return connections;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
