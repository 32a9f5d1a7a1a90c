import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A network connection between a client and a server that a test can break or freeze. */
export interface NetworkLink extends AsyncDisposable {
  readonly port: number;
  /** Stops all traffic without closing connections, as with SIGSTOP or an unplugged cable. */
  freeze(): void;
  thaw(): void;
  /** Breaks all connections; new ones can be opened. */
  cut(): void;
}

/** Listens on a free port and forwards everything to another port. */
export async function startNetworkLink(to: { readonly port: number }): Promise<NetworkLink> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let isFrozen = false;
  const server = createServer((near) => {
    const far = connect(to.port, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const [from, into] of [pair, [far, near] as const]) {
      from.on('data', (chunk) => into.write(chunk));
      from.on('error', () => into.destroy());
      from.on('close', () => {
        into.destroy();
        pairs.delete(pair);
      });
      if (isFrozen) from.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const sockets = () => [...pairs].flat();
  const cut = () => {
    for (const socket of sockets()) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets()) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets()) socket.resume();
    },
    cut,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
