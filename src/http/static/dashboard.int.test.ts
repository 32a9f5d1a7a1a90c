import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { createDashboard } from './dashboard.ts';

const SCRIPT = 'start();';
const PAGE = `<!doctype html><script>${SCRIPT}</script><script src="/x.js"></script>`;
const APP = '/_app/immutable/entry/app.Ab12.js';

function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-dashboard-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
    writeFileSync(join(folder, `${path}.gz`), gzipSync(text));
    writeFileSync(join(folder, `${path}.br`), brotliCompressSync(text));
  }
  return folder;
}

/** A server that answers 404 to what is not the dashboard's. */
async function serving(
  files: Record<string, string> = { '/index.html': PAGE, [APP]: 'app();', '/icon.svg': '<svg/>' },
) {
  const dashboard = createDashboard(folderWith(files));
  const server = createServer((incoming, response) => {
    if (dashboard?.(incoming, response, incoming.url ?? '')) return;
    response.statusCode = 404;
    response.end('not the dashboard');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (answer) => {
        const chunks: Buffer[] = [];
        for await (const chunk of answer) chunks.push(chunk);
        resolve({ status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      });
      sent.on('error', reject).end();
    });
}

const NAVIGATION = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

test('whoever navigates anywhere gets the one page', async () => {
  const get = await serving();
  for (const path of ['/', '/accounts', '/api-keys', '/request-logs/deep', '/index.html']) {
    const { status, headers, text } = await get(path, NAVIGATION);
    expect([path, status, text]).toEqual([path, 200, PAGE]);
    expect(headers['cache-control']).toBe('no-cache');
  }
});

test('paths of the API and scripts that ask for them never get HTML', async () => {
  const get = await serving();
  for (const path of ['/api', '/api/nothing', '/v1/models', '/backend-api/x', '/health', '/_app/immutable/gone.js']) {
    expect([path, (await get(path, NAVIGATION)).status]).toEqual([path, 404]);
  }
  expect((await get('/accounts', { accept: '*/*' })).status).toBe(404);
  expect((await get('/accounts', NAVIGATION, 'POST')).status).toBe(404);
});

test('the page may run its own scripts and no others', async () => {
  const get = await serving();
  const policy = (await get('/', NAVIGATION)).headers['content-security-policy'];
  const hash = createHash('sha256').update(SCRIPT).digest('base64');
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
});

test('files whose names change with their content are kept for ever, the others are asked for', async () => {
  const get = await serving();
  expect((await get(APP)).headers['cache-control']).toBe('public, max-age=31536000, immutable');
  const icon = await get('/icon.svg');
  expect(icon.headers).toMatchObject({ 'cache-control': 'no-cache', 'content-type': 'image/svg+xml' });
  const again = await get('/icon.svg', { 'if-none-match': String(icon.headers.etag) });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('what was compressed at the build goes out compressed to those who take it', async () => {
  const get = await serving();
  const encodingFor = async (accepted?: string) =>
    (await get(APP, accepted === undefined ? {} : { 'accept-encoding': accepted })).headers['content-encoding'];
  expect(await encodingFor('br')).toBe('br');
  expect(await encodingFor('gzip')).toBe('gzip');
  expect(await encodingFor('zstd')).toBeUndefined();
  expect(await encodingFor()).toBeUndefined();
  const { headers, text } = await get(APP, {}, 'HEAD');
  expect([headers['content-length'], text]).toEqual(['6', '']);
});

test('no path leads out of the folder, or to the compressed files by name', async () => {
  const get = await serving();
  for (const path of ['/../package.json', '/..%2fpackage.json', `${APP}.gz`, '/index.html.br']) {
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  }
});

test('without a built dashboard there is none', () => expect(createDashboard('/nowhere')).toBeUndefined());
