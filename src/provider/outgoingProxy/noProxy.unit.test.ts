import { EnvHttpProxyAgent } from 'undici';
import { expect, test } from 'vitest';
import { createNoProxy } from './noProxy.ts';

const CASES: readonly (readonly [list: string, destination: string, isDirect: boolean])[] = [
  ['', 'https://chatgpt.com', false],
  ['*', 'https://chatgpt.com', true],
  ['none.test, *', 'https://chatgpt.com', true],
  ['*:443', 'https://chatgpt.com', true],
  ['*:80', 'https://chatgpt.com', false],
  ['chatgpt.com', 'https://chatgpt.com', true],
  ['ChatGPT.com', 'https://chatgpt.com', true],
  ['chatgpt.com.', 'https://chatgpt.com', true],
  ['chatgpt.com', 'https://chatgpt.com.', true],
  ['chatgpt.com', 'https://api.chatgpt.com', true],
  ['chatgpt.com', 'https://notchatgpt.com', false],
  ['.chatgpt.com', 'https://chatgpt.com', true],
  ['.chatgpt.com', 'https://api.chatgpt.com', true],
  ['*.chatgpt.com', 'https://api.chatgpt.com', true],
  ['*.chatgpt.com', 'https://chatgpt.com', false],
  ['com', 'https://chatgpt.com', true],
  ['chatgpt.com:443', 'https://chatgpt.com', true],
  ['chatgpt.com:8443', 'https://chatgpt.com', false],
  ['chatgpt.com:8443', 'https://chatgpt.com:8443', true],
  ['a.test chatgpt.com\tb.test', 'https://chatgpt.com', true],
  ['localhost', 'http://localhost:8080', true],
  ['127.0.0.1', 'http://localhost:8080', false],
  ['127.0.0.1', 'http://127.0.0.1:8080', true],
  ['127.0.0.1:80', 'http://127.0.0.1', true],
  ['::1', 'http://[::1]:8080', true],
  ['[::1]', 'http://[::1]:8080', true],
  ['[::1]:8080', 'http://[::1]:8080', true],
  ['[::1]:80', 'http://[::1]:8080', false],
];

test.each(CASES)('with %j, a call of %s is direct: %s', (list, destination, isDirect) =>
  expect(createNoProxy(list)(new URL(destination))).toBe(isDirect),
);

/** Whether undici calls a destination directly. Its calls fail, the proxied ones at a closed port. */
async function isDirectInUndici(noProxy: string, { origin }: URL): Promise<boolean> {
  let isDirect = false;
  const connect = (_: unknown, callback: (error: Error, socket: null) => void) => {
    isDirect = true;
    callback(new Error('not connected'), null);
  };
  const proxies = { httpProxy: 'http://127.0.0.1:1', httpsProxy: 'http://127.0.0.1:1' };
  const agent = new EnvHttpProxyAgent({ ...proxies, noProxy, connect });
  await agent.request({ origin, path: '/', method: 'GET' }).catch(() => undefined);
  await agent.destroy();
  return isDirect;
}

test.each(CASES)('with %j, undici calls %s directly as well: %s', async (list, destination, isDirect) =>
  expect(await isDirectInUndici(list, new URL(destination))).toBe(isDirect),
);

test.each([
  ['10.0.0.0/8', 'https://10.1.2.3', true],
  ['10.0.0.0/8', 'https://11.1.2.3', false],
  ['10.0.0.0/8:443', 'https://10.1.2.3', true],
  ['10.0.0.0/8:80', 'https://10.1.2.3', false],
  ['10.0.0.0/33', 'https://10.1.2.3', false],
  ['10.0.0.0/x', 'https://10.1.2.3', false],
  ['0.0.0.0/0', 'https://10.1.2.3', true],
  ['0.0.0.0/0', 'https://chatgpt.com', false],
  ['fd00::/8', 'https://[fd12::1]', true],
  ['fd00::/8', 'https://[fe80::1]', false],
  ['[fd00::]/8', 'https://[fd12::1]', false],
  // Not a suffix of an address.
  ['0.0.1', 'https://127.0.0.1', false],
  ['127.1', 'https://127.0.0.1', false],
])('with %j, a call of %s is direct: %s (addresses as curl reads them)', (list, destination, isDirect) =>
  expect(createNoProxy(list)(new URL(destination))).toBe(isDirect),
);
