import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { certificate } from '../../test/support/certificate.ts';
import { type ProxyProcess, startProxyProcess } from '../../test/support/proxies/proxyProcess.ts';
import type { ProxyKind } from '../../test/support/proxies/proxyProgram.ts';
import { bodies } from '../throughput/bodies.ts';
import { killChildren, start } from '../throughput/child.ts';
import { fixed, percentile, print, printTable } from '../throughput/figures.ts';
import { type Side, startProduct } from '../throughput/side.ts';

// The latency that a proxy adds to a request (README.md#npm-run-benchproxies).

const WAYS: readonly ('direct' | ProxyKind)[] = ['direct', 'http', 'https', 'socks5'];
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '1500' } } });
const rounds = Number(values.rounds);
const agent = new Agent({ keepAlive: true });

interface Way {
  readonly name: string;
  readonly side: Side;
  readonly kept: number[];
  readonly opened: number[];
}

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const proxies: ProxyProcess[] = [];
const interrupted = () => process.exit(130);
process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
process.once('exit', () => {
  killChildren();
  for (const proxy of proxies) void proxy.kill();
  rmSync(folder, { recursive: true, force: true });
});

print(`node ${process.version}, ${availableParallelism()} cores, ${rounds} requests each, files in ${folder}`);
const authorities = join(folder, 'authorities.pem');
writeFileSync(authorities, certificate.cert);
const environment = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
const provider = start(
  process.execPath,
  [join(import.meta.dirname, 'provider.ts')],
  environment,
  join(folder, 'provider.log'),
);
const [, url = ''] = await provider.line(/listening on (\S+)/);
const ways = await startWays();
const json = bodies('20k')[0]?.json ?? '';
await measure(Math.ceil(rounds / 10));
for (const { kept, opened } of ways) {
  kept.length = 0;
  opened.length = 0;
}
await measure(rounds);
report('a kept connection', ({ kept }) => kept);
report('a new connection', ({ opened }) => opened);
for (const { side } of ways) await side.stop();
await provider.stop();
process.exit(0);

async function startWays(): Promise<Way[]> {
  const started: Way[] = [];
  for (const name of WAYS) {
    const proxy = name === 'direct' ? undefined : await startProxyProcess({ kind: name });
    if (proxy) proxies.push(proxy);
    const env = {
      NODE_EXTRA_CA_CERTS: authorities,
      SVC_USAGE_REFRESH_SECONDS: '3600',
      ...(proxy && { SVC_PROXY_URL: proxy.url }),
    };
    const side = await startProduct({ url } as never, { entry: 'src/start.mjs', folder, label: name, env });
    started.push({ name, side, kept: [], opened: [] });
  }
  return started;
}

/** One request at a time, by each way in turn, so that all ways meet the same machine. */
async function measure(count: number): Promise<void> {
  for (let round = 0; round < count; round++) {
    for (let index = 0; index < ways.length; index++) {
      const way = ways[(round + index) % ways.length] as Way;
      way.kept.push(await ask(way, {}));
    }
    if (round % 5 > 0) continue;
    for (let index = 0; index < ways.length; index++) {
      const way = ways[(round + index) % ways.length] as Way;
      // The first of the two takes the connection that is kept, and makes the provider close it.
      await ask(way, { 'x-openai-close': '1' });
      way.opened.push(await ask(way, {}));
    }
  }
}

/** @returns milliseconds from the request to the end of the response */
function ask({ side }: Way, headers: Record<string, string>): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const startedAt = performance.now();
  const sent = request(side.url, {
    method: 'POST',
    agent,
    headers: {
      authorization: `Bearer ${side.key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(json),
      ...headers,
    },
  });
  sent.on('error', reject).on('response', (response) => {
    let last = '';
    response.on('data', (chunk) => {
      last = String(chunk);
    });
    response.on('end', () => {
      if (response.statusCode === 200 && last.includes('response.completed')) resolve(performance.now() - startedAt);
      else reject(new Error(`${response.statusCode}: ${last}`));
    });
  });
  sent.end(json);
  return promise;
}

function report(title: string, figuresOf: (way: Way) => readonly number[]): void {
  const sorted = ways.map((way) => ({ name: way.name, values: figuresOf(way).toSorted((a, b) => a - b) }));
  const direct = sorted[0]?.values ?? [];
  const cells = ({ name, values: found }: (typeof sorted)[number]) =>
    [10, 50, 95].flatMap((percent) => {
      const figure = percentile(found, percent);
      return name === 'direct'
        ? [fixed(figure, 2), '']
        : [fixed(figure, 2), signed(figure - percentile(direct, percent))];
    });
  print(`\non ${title}, in ms`);
  printTable([['', 'p10', 'added', 'p50', 'added', 'p95', 'added'], ...sorted.map((way) => [way.name, ...cells(way)])]);
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${fixed(value, 2)}`;
}
