import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Refuses new connections and closes open ones, like a server that died. */
  cut(): void;
  /** Accepts connections and data but forwards nothing, like a network that drops packets. */
  drop(): void;
  /** Delays every chunk, in both directions. */
  delay(ms: number): void;
  /** Closes all connections after this many more bytes to the server. */
  cutAfter(bytes: number): void;
  /** Forwards everything again. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

/** A proxy between a client and a local server that simulates network failures. */
export async function tcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let mode: 'passing' | 'cut' | 'dropping' = 'passing';
  let delayMs = 0;
  let bytesLeft = Number.POSITIVE_INFINITY;

  const pass = (from: Socket, to: Socket, isToServer: boolean) => (chunk: Buffer) => {
    if (mode === 'cut') return void from.destroy();
    if (mode === 'dropping') return;
    if (isToServer) {
      bytesLeft -= chunk.length;
      if (bytesLeft < 0) return cut();
    }
    if (delayMs === 0) to.write(chunk);
    else setTimeout(() => to.writable && to.write(chunk), delayMs);
  };

  function join(one: Socket, other: Socket, isToServer: boolean): void {
    sockets.add(one);
    one.on('data', pass(one, other, isToServer));
    one.on('error', () => other.destroy());
    one.on('close', () => {
      sockets.delete(one);
      other.destroy();
    });
  }

  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const upstream = connect(target);
    join(client, upstream, true);
    join(upstream, client, false);
  });

  function cut(): void {
    mode = 'cut';
    server.close();
    for (const socket of sockets) socket.destroy();
  }

  await listen(server, 0);
  const { port } = server.address() as AddressInfo;

  return {
    port,
    cut,
    drop() {
      mode = 'dropping';
    },
    delay(ms) {
      delayMs = ms;
    },
    cutAfter(bytes) {
      bytesLeft = bytes;
    },
    async heal() {
      mode = 'passing';
      delayMs = 0;
      bytesLeft = Number.POSITIVE_INFINITY;
      if (!server.listening) await listen(server, port);
    },
    async close() {
      const wasListening = server.listening;
      const closed = new Promise((resolve) => server.once('close', resolve));
      cut();
      if (wasListening) await closed;
    },
  };
}

const listen = (server: Server, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
