import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { waitOptions } from '../../../test/support/waitOptions.ts';
import { createDashboard } from './dashboard.ts';

const SCRIPT = 'start();';
const PAGE = `<!doctype html><script>${SCRIPT}</script><script src="/x.js"></script>`;
const LARGE = JSON.stringify('x'.repeat(8 * 1_048_576));
const APP = '/_app/immutable/entry/app.Ab12.js';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    if (text === LARGE) continue;
    writeFileSync(join(folder, `${path}.gz`), gzipSync(text));
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(text));
  }
  return folder;
}

/** Starts a server that responds with 404 to requests that the dashboard does not serve. */
async function startServer() {
  const pages = JSON.stringify({ '/accounts': ['/_app/a.js', '/_app/a.css'] });
  const folder = folderWith({
    '/index.html': PAGE,
    '/pages.json': pages,
    [APP]: 'app();',
    '/icon.svg': '<svg/>',
    '/large.json': LARGE,
  });
  const dashboard = createDashboard(folder);
  const server = createServer((incoming, response) => {
    if (dashboard?.(incoming, response, incoming.url ?? '')) return;
    response.statusCode = 404;
    response.end('not the dashboard');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        resolve({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
      sent.on('error', reject).end();
    });
  return { get, folder, port };
}

const NAVIGATION = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('serves the single page for every path that a browser navigates to', async () => {
  const { get } = await startServer();
  for (const path of ['/', '/accounts', '/api-keys', '/request-logs/deep', '/index.html']) {
    const { status, headers, text } = await get(path, NAVIGATION);
    expect([path, status, text]).toEqual([path, 200, PAGE]);
    expect(headers['cache-control']).toBe('no-cache');
  }
});

test('announces the files of a page', async () => {
  const { get } = await startServer();
  const links = async (path: string) => (await get(path, NAVIGATION)).headers.link;
  expect(await links('/accounts')).toBe('</_app/a.js>; rel=modulepreload, </_app/a.css>; rel=preload; as=style');
  expect(await links('/accounts/deep')).toBeUndefined();
  expect((await get(APP)).headers.link).toBeUndefined();
  expect((await get('/pages.json')).status).toBe(404);
});

test('asks for the session and the rows of a page beside its files, for a browser with a cookie', async () => {
  const { get } = await startServer();
  const asked = async (path: string, cookie?: string) => {
    const { headers } = await get(path, { ...NAVIGATION, ...(cookie !== undefined && { cookie }) });
    return [...String(headers.link ?? '').matchAll(/<(\/api\/[^>]+)>; rel=preload; as=fetch; crossorigin/g)].map(
      ([, url]) => url,
    );
  };
  const session = '/api/dashboard-auth/session';
  const rows = '/api/request-logs?sort=-requested_at&with_position=true&limit=100&offset=0';
  expect(await asked('/request-logs', 'svc_session=1')).toEqual([session, rows]);
  expect(await asked('/request-logs?status=502', 'svc_session=1')).toEqual([session]);
  expect(await asked('/accounts', 'svc_session=1')).toEqual([session]);
  expect(await asked('/request-logs')).toEqual([]);
});

test('serves no HTML for API paths, missing assets and requests that do not ask for it', async () => {
  const { get } = await startServer();
  for (const path of ['/api', '/api/nothing', '/v1/models', '/backend-api/x', '/health', '/_app/immutable/gone.js']) {
    expect([path, (await get(path, NAVIGATION)).status]).toEqual([path, 404]);
  }
  expect((await get('/accounts', { accept: '*/*' })).status).toBe(404);
  expect((await get('/accounts', NAVIGATION, 'POST')).status).toBe(404);
});

test('serves the page at the root to everything that accepts HTML, as probes do', async () => {
  const { get } = await startServer();
  for (const accept of ['*/*', 'text/*', 'text/html', 'application/json, */*;q=0.5', undefined]) {
    expect([accept, (await get('/', accept === undefined ? {} : { accept })).status]).toEqual([accept, 200]);
  }
  expect((await get('/', { accept: '*/*' }, 'HEAD')).status).toBe(200);
  expect((await get('/', { accept: 'application/json' })).status).toBe(404);
  expect((await get('/', { accept: '*/*' }, 'POST')).status).toBe(404);
});

test('allows the page its own scripts and no others', async () => {
  const { get } = await startServer();
  const policy = (await get('/', NAVIGATION)).headers['content-security-policy'];
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
});

test('lets browsers keep hashed files for a year and revalidate the others', async () => {
  const { get } = await startServer();
  expect((await get(APP)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const icon = await get('/icon.svg');
  expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' });
  const again = await get('/icon.svg', { 'if-none-match': String(icon.headers.etag) });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('serves the compressed variant that the client accepts', async () => {
  const { get } = await startServer();
  const encodingFor = async (accepted?: string) =>
    (await get(APP, accepted === undefined ? {} : { 'accept-encoding': accepted })).headers['content-encoding'];
  expect(await encodingFor('br')).toBe('br');
  expect(await encodingFor('gzip')).toBe('gzip');
  expect(await encodingFor('zstd')).toBeUndefined();
  expect(await encodingFor()).toBeUndefined();
  const { headers, text } = await get(APP, {}, 'HEAD');
  expect([headers['content-length'], text]).toEqual(['6', '']);
});

test('serves neither files outside the folder nor compressed variants by name', async () => {
  const { get } = await startServer();
  for (const path of ['/../package.json', '/..%2fpackage.json', `${APP}.gz`, '/index.html.br']) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
});

test('ignores Range headers', async () => {
  const { get } = await startServer();
  for (const range of ['bytes=0-2', 'bytes=5-2', 'bytes=999-', 'nonsense']) {
    const { status, text } = await get('/icon.svg', { range });
    expect([range, status, text]).toEqual([range, 200, '<svg/>']);
  }
});

test('does not change a response that it does not serve', async () => {
  const { get } = await startServer();
  const { headers } = await get('/missing.svg', { accept: '*/*' });
  expect(Object.keys(headers).sort()).toEqual(['connection', 'content-length', 'date']);
});

test('closes the connection when a file has disappeared since the start', async () => {
  const { get, folder } = await startServer();
  rmSync(join(folder, 'icon.svg'));
  await expect(get('/icon.svg')).rejects.toThrow();
  expect((await get(APP)).text).toBe('app();');
});

test('closes the file when the client disconnects', async () => {
  const { port, folder } = await startServer();
  const isOpen = () => readdirSync('/proc/self/fd').some((fd) => isLinkTo(fd, join(folder, 'large.json')));
  const client = connect(port, '127.0.0.1').pause();
  client.write('GET /large.json HTTP/1.1\r\nHost: x\r\n\r\n');
  await vi.waitUntil(isOpen, waitOptions);
  client.destroy();
  await vi.waitUntil(() => !isOpen(), waitOptions);
});

function isLinkTo(fd: string, path: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path;
  } catch {
    return false;
  }
}

test('returns undefined if the dashboard has not been built', () =>
  expect(createDashboard('/nowhere')).toBeUndefined());
