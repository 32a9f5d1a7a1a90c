import { existsSync, readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../../src/app/config/config.ts';

// Images cannot be pulled where this runs, so these tests check that the files agree with each other and with the service.

const root = new URL('../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

interface ComposeService {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly command?: readonly string[];
  readonly stop_grace_period?: string;
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
}

const text = read('docker-compose.yml');
const compose = parse(text) as Compose;
const service = (name: string): ComposeService => compose.services[name] as ComposeService;
const svc = service('svc');

/** Substitutes `${NAME:?error}` and `${NAME:-default}` as compose does. */
const interpolated = (value: string | number, given: Readonly<Record<string, string>>): string =>
  String(value).replaceAll(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
    if (given[name]) return given[name];
    if (kind === '?') throw new Error(`${name} is required: ${rest}`);
    return rest;
  });

/** A comparable number: 8000017 for 8.0.17, 0 without a complete version. */
const versionOf = (image: string): number =>
  (/:(\d+)\.(\d+)\.(\d+)/.exec(image)?.slice(1).map(Number) ?? []).reduce((sum, part) => sum * 1_000 + part, 0);

const environment = (given: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(svc.environment ?? {}).map(([name, value]) => [name, interpolated(value, given)]));

const KEY = { SVC_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };

test('the service knows every setting of the compose file', () => {
  const given = environment(KEY);
  const config = readConfig(given) as Readonly<Record<string, unknown>>;
  for (const [name, value] of Object.entries(given)) if (value !== '') expect(config, name).toHaveProperty(name);
});

test('the compose file requires an encryption key and has no default for any secret', () => {
  expect(() => environment({})).toThrow('SVC_ENCRYPTION_KEY is required');
  for (const match of text.matchAll(/^\s+(\w*(?:KEY|PASSWORD|TOKEN|SECRET)\w*):\s*(.*)$/gim)) {
    expect(match[2], match[1]).toMatch(/^\$\{\w+:(?:-|\?[^}]*)\}$/);
  }
  expect(text).not.toMatch(/changeit|:\/\/[^/\s]+:[^/\s]+@/);
});

test('the stores exist, start before the service, and are reached by the service alone', () => {
  const hosts = Object.entries(svc.environment ?? {})
    .filter(([name]) => /^SVC_(EVENTSTORE|MONGODB)_URL$/.test(name))
    .map(([, url]) => /\/\/([^:/]+)/.exec(String(url))?.[1] as string);
  expect(hosts.sort()).toEqual(['eventstore', 'mongodb']);
  expect(Object.keys(svc.depends_on ?? {}).sort()).toEqual(hosts);
  for (const host of hosts) {
    expect(svc.depends_on?.[host]?.condition).toBe('service_healthy');
    expect(service(host).healthcheck?.test.length).toBeGreaterThan(0);
    expect(service(host).ports).toBeUndefined();
    expect(service(host).networks).toEqual(['stores']);
  }
  expect(compose.networks.stores?.internal).toBe(true);
  expect(svc.networks).toContain('outside');
  for (const port of svc.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test('data that must survive a container is in a declared volume', () => {
  const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map((each) => each.split(':')));
  expect(mounted.map(([name]) => name).sort()).toEqual(Object.keys(compose.volumes).sort());
  expect(svc.volumes).toEqual([`svc-data:${svc.environment?.SVC_DATA_DIR}`]);
  expect(service('eventstore').volumes).toContain('eventstore-data:/var/lib/eventstore');
  expect(service('mongodb').volumes).toContain('mongodb-data:/data/db');
});

test('EventStoreDB has a version with correct checkpoints, and only options that it supports', () => {
  const { image = '', environment: options = {} } = service('eventstore');
  expect(versionOf(image)).toBeGreaterThanOrEqual(24_010_005);
  // Any of these stops a server from 24.2 on (docs/stores.md#eventstoredb-server-versions-and-settings).
  expect(Object.keys(options).filter((name) => /TCP|EXT_IP|INT_IP|_HTTP_PORT/.test(name))).toEqual([]);
  expect(String(svc.environment?.SVC_EVENTSTORE_URL)).toContain(`:${options.EVENTSTORE_NODE_PORT}`);
});

test('MongoDB is a replica set of one, with the same name in every place', () => {
  const { image = '', command = [], healthcheck } = service('mongodb');
  expect(versionOf(image)).toBeGreaterThanOrEqual(8_000_017);
  const url = new URL(String(svc.environment?.SVC_MONGODB_URL));
  const name = url.searchParams.get('replicaSet');
  expect(command[command.indexOf('--replSet') + 1]).toBe(name);
  const script = healthcheck?.test.at(-1) ?? '';
  const [, members] = /rs\.initiate\((\{.*\})\) \}/.exec(script) ?? [];
  expect(parse(members ?? '')).toEqual({ _id: name, members: [{ _id: 0, host: url.host }] });
  expect(() => new Script(script)).not.toThrow();
});

test('the stop grace period is longer than the drain of the service', () => {
  const seconds = Number(/^(\d+)s$/.exec(svc.stop_grace_period ?? '')?.[1]);
  expect(seconds).toBeGreaterThanOrEqual(readConfig(environment(KEY)).SVC_DRAIN_SECONDS + 10);
});

test('the image copies existing files, runs as an unprivileged user and has a health check', () => {
  const lines = read('Dockerfile').split('\n');
  const all = (instruction: string) =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.slice(instruction.length + 1));
  const sources = all('COPY')
    .filter((copy) => !copy.startsWith('--from'))
    .flatMap((copy) => copy.split(' ').slice(0, -1));
  for (const path of sources) expect(existsSync(new URL(path, root)), path).toBe(true);
  expect(all('USER')).toEqual(['node']);
  expect(all('ARG')).toEqual(['NODE_IMAGE=node:24-slim']);
  expect(all('HEALTHCHECK')).toHaveLength(1);
  const [entrypoint = ''] = all('ENTRYPOINT');
  expect(existsSync(new URL(JSON.parse(entrypoint).at(-1), root))).toBe(true);
  const { scripts } = JSON.parse(read('package.json'));
  expect(scripts.start.endsWith(` exec ${JSON.parse(entrypoint).join(' ')} serve`)).toBe(true);
  for (const run of all('RUN').filter((command) => command.startsWith('npm run '))) {
    expect(scripts).toHaveProperty(run.slice('npm run '.length));
  }
  const ignored = read('.dockerignore').split('\n');
  for (const path of sources.filter((each) => each !== '.')) {
    expect(ignored).toContain(`!${path.split('/')[0]}`);
  }
});

test('every documented way to start svc has the options and variables that docs/operation.md demands', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const places = {
    'npm start': scripts.start,
    'npm run svc': scripts.svc,
    Dockerfile: read('Dockerfile').replaceAll(/[",[\]]/g, ' '),
    'README.md': read('README.md'),
  };
  const optionsOf = (text: string): string[] =>
    (/\bnode((?:\s+--\S+)*)\s+src\/start\.mjs/.exec(text)?.[1] ?? '').split(/\s+/).filter((option) => option !== '');
  const demanded = optionsOf(scripts.start);
  // In a script a variable that is set already wins.
  const variables = [...scripts.start.matchAll(/(\w+)=\$\{\1:-(\w+)\}/g)].map(([, name, value]) => `${name}=${value}`);
  expect([demanded, variables]).not.toContainEqual([]);
  for (const [place, text] of Object.entries(places)) {
    expect(optionsOf(text), place).toEqual(demanded);
    const plain = text.replaceAll(/\$\{\w+:-(\w+)\}/g, '$1');
    for (const variable of variables) expect(plain, place).toContain(variable);
  }
  for (const each of [...demanded, ...variables]) expect(read('docs/operation.md')).toContain(`\`${each}\``);
});
