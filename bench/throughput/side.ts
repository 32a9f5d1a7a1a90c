import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, start } from './child.ts';
import { setUp } from './management.ts';
import { MALLOC_ENVIRONMENT, NODE_OPTIONS } from './npmStart.ts';
import type { SurfaceName } from './options.ts';
import type { Provider } from './provider.ts';

/** One of the two programs that are compared. */
export interface Side {
  readonly name: 'bare' | 'against' | 'product';
  readonly pid: number;
  /** Origin of the service, without a path. */
  readonly base: string;
  /** Target of the load. */
  readonly url: string;
  readonly key: string;
  stop(): Promise<void>;
}

const PATHS: Readonly<Record<SurfaceName, string>> = {
  responses: '/backend-api/svc/responses',
  v1: '/v1/responses',
  chat: '/v1/chat/completions',
};
const PATH = PATHS.responses;
const ENVIRONMENT = { ...MALLOC_ENVIRONMENT, PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };

/** The same program, loaded at another endpoint. */
export const withSurface = (side: Side, surface: SurfaceName): Side => ({ ...side, url: side.base + PATHS[surface] });

/** Starts the pass-through that is the baseline. */
export async function startBare(provider: Provider, folder: string): Promise<Side> {
  const args = [join(import.meta.dirname, 'bare.ts'), provider.url];
  const child = start(process.execPath, args, ENVIRONMENT, join(folder, 'bare.log'));
  const base = await listening(child);
  return { name: 'bare', pid: child.pid, base, url: base + PATH, key: 'ignored', stop: () => child.stop() };
}

export interface ProductOptions {
  readonly entry: string;
  readonly folder: string;
  /** Prefix of the files of this start; a run may start svc several times. */
  readonly label: string;
  readonly profileInto?: string;
  /** Additional settings. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts svc on an empty data folder, with every feature enabled. */
export async function startProduct(provider: Provider, options: ProductOptions): Promise<Side> {
  const { entry, folder, label, profileInto, env: more } = options;
  const data = join(folder, `${label}-data`);
  mkdirSync(data);
  const profiling = profileInto === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileInto}`];
  const env = {
    ...ENVIRONMENT,
    SVC_PORT: '0',
    SVC_DATA_DIR: data,
    SVC_UPSTREAM_BASE_URL: `${provider.url}/backend-api`,
    SVC_AUTH_BASE_URL: provider.url,
    ...more,
  };
  const child = start(
    process.execPath,
    [...NODE_OPTIONS, ...profiling, entry, 'serve'],
    env,
    join(folder, `${label}.log`),
  );
  const base = await listening(child);
  const key = await setUp(base);
  return { name: 'product', pid: child.pid, base, url: base + PATH, key, stop: () => child.stop(40_000) };
}

async function listening(child: Child): Promise<string> {
  const match = await child.line(/listening on (http:\/\/\S+)/);
  return (match[1] ?? '').replace(/\/$/, '');
}
