import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A port that is known before what listens behind it, for settings that name their own address. */
export interface ForwardedPort {
  readonly port: number;
  /** Forwards to another port of this machine from now on; connections before that are closed. */
  to(port: number): void;
  close(): Promise<void>;
}

export async function forwardPort(): Promise<ForwardedPort> {
  const sockets = new Set<Socket>();
  let target: number | undefined;
  const server = createServer((client) => {
    if (target === undefined) return void client.destroy();
    const behind = connect(target, '127.0.0.1');
    for (const [from, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from);
      from.pipe(other);
      from.on('error', () => other.destroy());
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    to(port) {
      target = port;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
