import { once } from 'node:events';
import { connect } from 'node:net';
import { defaultConnectionHandler, Socks5Server } from '@pondwader/socks5-server';
import { RequestError, Server } from 'proxy-chain';
import { certificate } from '../certificate.ts';

export type ProxyKind = 'http' | 'https' | 'socks5';

/** What the proxy does with a connection: opens it, refuses it, or never responds. */
export type Treatment = 'open' | 'refuse' | 'hang';

export interface ProxyProgramOptions {
  readonly kind: ProxyKind;
  /** Demanded from clients; any client is served when absent. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** Names that only this proxy knows, with the address of each. */
  readonly names?: Readonly<Record<string, string>>;
  /** Default: a free one. */
  readonly port?: number;
}

/** A running proxy. */
export interface ProxyProgram {
  /** With the credentials. */
  readonly url: string;
  /** Host and port. */
  readonly name: string;
  readonly port: number;
  /** Destinations as the clients named them, oldest first. */
  readonly asked: string[];
  treatment: Treatment;
  /** Closes the port and all connections. */
  close(): Promise<void>;
}

/** Starts a real proxy program on loopback: proxy-chain for CONNECT, socks5-server for SOCKS5. */
export const startProxyProgram = (options: ProxyProgramOptions): Promise<ProxyProgram> =>
  options.kind === 'socks5' ? startSocksProxy(options) : startConnectProxy(options);

function programOf({ kind, credentials }: ProxyProgramOptions, close: () => Promise<void>) {
  const before = credentials
    ? `${encodeURIComponent(credentials.username)}:${encodeURIComponent(credentials.password)}@`
    : '';
  return {
    at: (port: number) => ({ url: `${kind}://${before}127.0.0.1:${port}`, name: `127.0.0.1:${port}`, port }),
    asked: [] as string[],
    treatment: 'open' as Treatment,
    close,
  };
}

async function startConnectProxy(options: ProxyProgramOptions): Promise<ProxyProgram> {
  const { kind, credentials, names = {}, port = 0 } = options;
  const { at, ...program } = programOf(options, async () => {
    await server.close(true);
  });
  const server = new Server({
    port,
    host: '127.0.0.1',
    ...(kind === 'https' ? { serverType: 'https', httpsOptions: certificate } : { serverType: 'http' }),
    async prepareRequestFunction({ hostname, port: asked, username, password }) {
      if (credentials && (username !== credentials.username || password !== credentials.password)) {
        return { requestAuthentication: true };
      }
      program.asked.push(`${hostname}:${asked}`);
      if (state.treatment === 'refuse') throw new RequestError('Forbidden', 403);
      if (state.treatment === 'hang') await new Promise(() => undefined);
      const address = names[hostname];
      return address === undefined ? {} : { dnsLookup: lookupOf(address) as never };
    },
  });
  await server.listen();
  const state: ProxyProgram = { ...program, ...at(server.port) };
  return state;
}

type Found = (error: null, found: string | { address: string; family: 4 }[], family?: 4) => void;

const lookupOf = (address: string) => (_name: string, options: { readonly all?: boolean }, found: Found) =>
  options.all ? found(null, [{ address, family: 4 }]) : found(null, address, 4);

async function startSocksProxy(options: ProxyProgramOptions): Promise<ProxyProgram> {
  const { credentials, names = {}, port = 0 } = options;
  const sockets = new Set<{ destroy(): void }>();
  const { at, ...program } = programOf(options, async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const server = new Socks5Server();
  if (credentials) {
    server.setAuthHandler(
      ({ username, password }) => username === credentials.username && password === credentials.password,
    );
  }
  server.setRulesetValidator(({ destAddress, destPort }) => {
    program.asked.push(`${destAddress}:${destPort}`);
    if (state.treatment === 'hang') return undefined;
    return state.treatment === 'open';
  });
  server.setConnectionHandler((connection, sendStatus) => {
    connection.destAddress = names[connection.destAddress] ?? connection.destAddress;
    const stream = defaultConnectionHandler(connection, sendStatus);
    if (stream) sockets.add(stream);
  });
  const accept = server._handleConnection.bind(server);
  server._handleConnection = (socket) => {
    sockets.add(socket);
    return accept(socket);
  };
  server.listen(port, '127.0.0.1');
  const listening = (server as unknown as { server: import('node:net').Server }).server;
  await once(listening, 'listening');
  const state: ProxyProgram = { ...program, ...at((listening.address() as { port: number }).port) };
  return state;
}

/** Whether a port of loopback is open. */
export async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
