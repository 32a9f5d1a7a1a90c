import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { certificate } from '../../../test/support/certificate.ts';
import {
  type ProxyKind,
  type ProxyProgramOptions,
  startProxyProgram,
} from '../../../test/support/proxies/proxyProgram.ts';
import { trustTestCertificate } from '../../../test/support/proxies/trustTestCertificate.ts';
import { parseOutgoingProxy } from './outgoingProxy.ts';
import { createProxiedConnection } from './proxiedConnection.ts';
import { ProxyFailure } from './proxyFailure.ts';

trustTestCertificate();

const KINDS: readonly ProxyKind[] = ['http', 'https', 'socks5'];
const CREDENTIALS = { username: 'us er', password: 'p@ss:w%rd/é' };

/** A server that sends back what it gets. */
async function startDestination({ isSecure }: { isSecure: boolean }) {
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket.on('error', () => undefined));
    socket.pipe(socket);
  };
  const server = isSecure ? createTlsServer(certificate, accept) : createServer(accept);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, origin: new URL(`${isSecure ? 'https' : 'http'}://localhost:${port}`), sockets };
}

async function startProxy(options: ProxyProgramOptions) {
  const program = await startProxyProgram(options);
  onTestFinished(() => program.close());
  return program;
}

const opener = (url: string, origin: URL, timeoutMs = 5_000) =>
  createProxiedConnection({ origin, proxy: parseOutgoingProxy(url), timeoutMs });

async function echo(socket: Socket): Promise<string> {
  socket.write('hello');
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  return bytes.toString();
}

/** The failure of a connection, which must name neither the address nor the credentials. */
async function failureOf(opening: Promise<Socket>): Promise<ProxyFailure> {
  const error = await opening.then(
    (socket) => {
      socket.destroy();
      throw new Error('it opened a connection');
    },
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProxyFailure);
  expect(JSON.stringify({ ...(error as object), text: String(error) })).not.toMatch(/p@ss|w%|p%40/);
  return error as ProxyFailure;
}

describe.each(KINDS)('through a proxy of kind %s', (kind) => {
  test.each([true, false])('opens a connection (TLS inside: %s)', async (isSecure) => {
    const destination = await startDestination({ isSecure });
    const proxy = await startProxy({ kind });
    expect(await echo(await opener(proxy.url, destination.origin)())).toBe('hello');
    expect(proxy.asked).toEqual([`localhost:${destination.port}`]);
  });

  test('signs in with any characters', async () => {
    const destination = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind, credentials: CREDENTIALS });
    expect(await echo(await opener(proxy.url, destination.origin)())).toBe('hello');
  });

  test.each(['none', 'wrong'])('says that authentication is demanded (credentials: %s)', async (given) => {
    const { origin } = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind, credentials: CREDENTIALS });
    const url = new URL(proxy.url);
    url.password = given === 'none' ? '' : 'p@ss';
    url.username = given === 'none' ? '' : url.username;
    const failure = await failureOf(opener(url.href, origin)());
    expect([failure.code, failure.proxy]).toEqual(['proxy_auth_required', proxy.name]);
    expect(proxy.asked).toEqual([]);
  });

  test('says that the destination is refused', async () => {
    const { origin } = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind });
    proxy.treatment = 'refuse';
    expect((await failureOf(opener(proxy.url, origin)())).code).toBe('proxy_refused');
  });

  test('says that the proxy cannot reach the destination', async () => {
    const proxy = await startProxy({ kind });
    const failure = await failureOf(opener(proxy.url, new URL('https://127.0.0.1:1'))());
    // The CONNECT program closes the connection instead of responding with 502.
    expect(failure.code).toBe(kind === 'socks5' ? 'proxy_no_route' : 'proxy_closed');
  });

  test('gives up a proxy that does not respond, and closes the connection', async () => {
    const { origin } = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind });
    proxy.treatment = 'hang';
    expect((await failureOf(opener(proxy.url, origin, 200)())).code).toBe('proxy_timeout');
  });

  test('stops opening when the request is aborted', async () => {
    const { origin } = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind });
    proxy.treatment = 'hang';
    const controller = new AbortController();
    const opening = opener(proxy.url, origin)(controller.signal);
    controller.abort(new Error('aborted'));
    await expect(opening).rejects.toThrow('aborted');
  });

  test('lets the proxy resolve the name', async () => {
    const destination = await startDestination({ isSecure: false });
    const proxy = await startProxy({ kind, names: { 'provider.test': '127.0.0.1' } });
    const origin = new URL(`http://provider.test:${destination.port}`);
    expect(await echo(await opener(proxy.url, origin)())).toBe('hello');
    expect(proxy.asked).toEqual([`provider.test:${destination.port}`]);
  });

  test('says that no proxy listens there', async () => {
    const proxy = await startProxyProgram({ kind });
    await proxy.close();
    const failure = await failureOf(opener(proxy.url, new URL('https://localhost:1'))());
    expect([failure.code, failure.errno]).toEqual(['proxy_unreachable', 'ECONNREFUSED']);
  });

  test('does not accept a certificate that it cannot check', async () => {
    const { origin } = await startDestination({ isSecure: true });
    const proxy = await startProxy({ kind, names: { 'other.test': '127.0.0.1' } });
    origin.hostname = 'other.test';
    const failure = await failureOf(opener(proxy.url, origin)());
    expect([failure.code, failure.errno]).toEqual(['proxy_tls', 'ERR_TLS_CERT_ALTNAME_INVALID']);
  });
});

describe('hostile proxies', () => {
  /** A server that treats each connection so. */
  async function startHostile(accept: (socket: Socket) => void) {
    const server = createServer((socket) => accept(socket.on('error', () => undefined)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return (server.address() as AddressInfo).port;
  }
  const answering = (bytes: string | Buffer) => (socket: Socket) =>
    void socket.once('data', () => socket.end(bytes as string, 'latin1' as never));
  const origin = new URL('https://localhost:1');

  test.each([
    ['closes at once', (socket: Socket) => void socket.destroy()],
    ['is no HTTP server', answering('220 mail ESMTP\r\n')],
    ['sends half a head', answering('HTTP/1.1 200 OK\r\nx: ')],
    ['sends an endless head', answering(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(200_000)}`)],
    ['closes after its head', answering('HTTP/1.1 200 OK\r\n\r\n')],
    ['sends garbage instead of TLS', answering('HTTP/1.1 200 OK\r\n\r\ngarbage that is no TLS record')],
  ])('fails over CONNECT if the proxy %s', async (_, accept) => {
    const port = await startHostile(accept);
    const { code } = await failureOf(opener(`http://127.0.0.1:${port}`, origin)());
    expect(['proxy_closed', 'proxy_tls']).toContain(code);
  });

  test.each([
    ['closes at once', (socket: Socket) => void socket.destroy()],
    ['is an HTTP server', answering('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['chooses an unknown method', answering(Buffer.from([5, 9]))],
    ['speaks SOCKS4', answering(Buffer.from([0, 90, 0, 0, 0, 0, 0, 0]))],
    ['sends an unknown kind of address', answering(Buffer.from([5, 0, 5, 0, 0, 9, 1, 2, 3, 4, 5, 6]))],
    ['sends an unknown reply', answering(Buffer.from([5, 0, 5, 99, 0, 1, 0, 0, 0, 0, 0, 0]))],
    ['sends too much at once', answering(Buffer.concat([Buffer.from([5, 0]), Buffer.alloc(100_000, 5)]))],
  ])('fails over SOCKS5 if the proxy %s', async (_, accept) => {
    const port = await startHostile(accept);
    const { code } = await failureOf(opener(`socks5://127.0.0.1:${port}`, origin)());
    expect(code).toMatch(/^proxy_/);
  });

  test.each([
    [407, 'proxy_auth_required'],
    [403, 'proxy_refused'],
    [302, 'proxy_refused'],
    [502, 'proxy_no_route'],
    [504, 'proxy_no_route'],
  ])('reads a status of %s as %s', async (status, code) => {
    const port = await startHostile(answering(`HTTP/1.1 ${status} Whatever\r\ncontent-length: 0\r\n\r\n`));
    const failure = await failureOf(opener(`http://127.0.0.1:${port}`, origin)());
    expect([failure.code, failure.problem]).toEqual([code, expect.stringContaining(String(status))]);
  });

  test('takes a status of the proxy for none of the provider', async () => {
    const port = await startHostile(
      answering('HTTP/1.1 401 Unauthorized\r\ncontent-length: 28\r\n\r\n{"error":"invalid_grant"}   '),
    );
    expect((await failureOf(opener(`http://127.0.0.1:${port}`, origin)())).code).toBe('proxy_refused');
  });
});
