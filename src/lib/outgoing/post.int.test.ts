import { Agent, createServer, type RequestListener } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { ForbiddenAddress } from './forbiddenAddresses.ts';
import { createPost, PostFailed } from './post.ts';

const HEADERS = { 'content-type': 'application/json' };
const post = createPost({ agentsFor: () => ({}), allowsLinkLocal: false });
const send = (url: string) =>
  post({ url: new URL(url), body: '{}', headers: HEADERS, signal: new AbortController().signal });

async function anEndpoint(respond: RequestListener): Promise<string> {
  const server = createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
}

test('posts the body with its length and type', async () => {
  const url = await anEndpoint((request, response) => {
    const { 'content-type': type, 'content-length': length, 'user-agent': agent } = request.headers;
    response.writeHead(202, { 'content-type': 'text/plain' }).end([request.method, type, length, agent].join(' '));
  });
  expect(await send(url)).toEqual({ status: 202, contentType: 'text/plain', body: 'POST application/json 2 svc' });
});

test('follows no redirect', async () => {
  const url = await anEndpoint((_, response) => response.writeHead(307, { location: '/elsewhere' }).end());
  expect(await send(url)).toMatchObject({ status: 307 });
});

test('refuses a metadata address before it connects', async () => {
  await expect(send('http://169.254.169.254/hook?token=secret')).rejects.toThrow(
    'http://169.254.169.254/hook cannot be reached: 169.254.169.254 is a link-local or metadata address',
  );
});

test('names neither user, password nor query of the URL when nothing listens there', async () => {
  const url = await anEndpoint(() => undefined);
  const { port } = new URL(url);
  // A port of the same range that is not open: the listener holds its own.
  const failed = await send(`http://user:password@127.0.0.1:${port === '1' ? 2 : 1}/hook?token=secret`).catch(
    (error) => error,
  );
  expect(failed).toBeInstanceOf(PostFailed);
  expect(failed.message).not.toMatch(/user|password|secret/);
});

test('ends a response that is too long', async () => {
  const url = await anEndpoint((_, response) => void response.writeHead(200).write(Buffer.alloc(100_000)));
  await expect(send(url)).rejects.toThrow('more than 65536 bytes');
});

test('sends nothing through a proxy to a name that resolves to a metadata address, unless that is allowed', async () => {
  let calls = 0;
  const url = await anEndpoint((_, response) => {
    calls += 1;
    response.writeHead(204).end();
  });
  const { port } = new URL(url);
  // Stands for a proxy: its agent connects to the endpoint whatever the name is.
  const agent = new Agent({ lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) });
  const agentsFor = () => ({ agent: { http: agent, https: agent as never } });
  const named = (host: string) => ({
    url: new URL(`http://${host}:${port}/hook`),
    body: '{}',
    headers: HEADERS,
    signal: new AbortController().signal,
  });
  const lookup: LookupFunction = (name, _options, done) =>
    name === 'forged.example'
      ? done(new ForbiddenAddress(name, '169.254.169.254'), '')
      : done(new Error('getaddrinfo ENOTFOUND'), '');
  const checked = createPost({ agentsFor, allowsLinkLocal: false, lookup });
  await expect(checked(named('forged.example'))).rejects.toThrow('169.254.169.254');
  expect(calls).toBe(0);
  expect(await checked(named('known-to-the-proxy.example'))).toMatchObject({ status: 204 });
  const unchecked = createPost({ agentsFor, allowsLinkLocal: true, lookup });
  expect(await unchecked(named('forged.example'))).toMatchObject({ status: 204 });
});
