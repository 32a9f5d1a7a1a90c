import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Config, readConfig, settingNames } from '../../../src/app/config/config.ts';
import { COSIGNATURE, verifierKey } from '../../../src/integrity/notes/noteKeys.ts';

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const settings = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
const rows = [...settings.matchAll(/^\| `([A-Z_]+)` \| (.+?) \|/gm)].map(([, name = '', shown = '']) => ({
  name,
  shown,
}));

/** A default as the table shows it: in backticks, or `empty` for an empty list. */
const shownDefault = (value: unknown) =>
  Array.isArray(value) && value.length === 0 ? 'empty' : `\`${String(value)}\``;

test('docs/settings.md names every setting that has a default, with that default', () => {
  const defaults = Object.entries(readConfig({})).filter(([, value]) => value !== undefined);
  const shown = new Map(rows.map((row) => [row.name, row.shown]));
  for (const [name, value] of defaults) expect(shown.get(name), name).toBe(shownDefault(value));
});

test('docs/settings.md names every setting', () =>
  expect(rows.map(({ name }) => name).sort()).toEqual(settingNames.toSorted()));

/** Values of settings that do not take any text. */
const SAMPLES: Readonly<Record<string, string>> = {
  SVC_EVENTSTORE_URL: 'esdb://a1:2113',
  SVC_MONGODB_URL: 'mongodb://localhost/svc',
  SVC_SETUP_TOKEN: 'sixteen letters!',
  SVC_CHECKPOINT_KEY: '11'.repeat(32),
  SVC_CHECKPOINT_KEY_BEFORE: '11'.repeat(32),
  SVC_PUBLIC_URL: 'https://a1',
  SVC_CHECKPOINT_URL: 'https://a1',
  SVC_SINK_URL: 'https://a1',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'https://a1',
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://a1',
  SVC_CHECKPOINT_WITNESS_URL: 'https://a1',
  SVC_CHECKPOINT_WITNESS_KEY: verifierKey('a1', Buffer.alloc(32), COSIGNATURE).vkey,
  SVC_RETENTION_REQUEST_DAYS: '30',
  SVC_OIDC_ISSUER: 'https://a1',
  SVC_OIDC_ROLES: 'a1=member',
};

/** Settings that are refused alone. */
const TOGETHER: Readonly<Record<string, string>> = {
  SVC_PUBLIC_URL: 'https://a1',
  SVC_OIDC_ISSUER: 'https://a1',
  SVC_OIDC_CLIENT_ID: 'a1',
  SVC_OIDC_CLIENT_SECRET: 'a1',
};

test('README and docs/settings.md name no setting that does not exist', () => {
  for (const { name } of rows.filter((row) => !(row.name in readConfig({})))) {
    const value = SAMPLES[name] ?? 'a1';
    const others = name.startsWith('SVC_OIDC_') ? TOGETHER : {};
    expect(String(readConfig({ ...others, [name]: value })[name as keyof Config]), name).toBe(value);
  }
  const mentioned = new Set((readme + settings).match(/\b(?:(?:SVC|FIREWALL|OTEL)_[A-Z_]+|HTTPS?_PROXY|NO_PROXY)\b/g));
  // The clients' own variable in the examples.
  mentioned.delete('SVC_API_KEY');
  expect([...mentioned].sort()).toEqual(rows.map(({ name }) => name).sort());
});

const root = new URL('../../../', import.meta.url);
test('the README names only npm scripts that exist', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const named = [...readme.matchAll(/npm (?:run )?(start|test|demo|lint|typecheck|docs|provider|[a-z]+:[a-z0-9]+)\b/g)];
  for (const [, name = ''] of named) expect(scripts, name).toHaveProperty(name);
});

const architecture = [
  'docs/architecture.md',
  ...readdirSync(new URL('docs/architecture/', root)).map((name) => `docs/architecture/${name}`),
];

test.each(architecture)('%s names only files that exist', (page) => {
  const text = readFileSync(new URL(page, root), 'utf8');
  const paths = [...text.matchAll(/`([\w/.]+\/(?:\w+\.\w+)?)`/g)].map(([, path = '']) => path);
  // Paths may be relative to one of these folders.
  const folders = [
    '',
    'src/',
    'src/eventLog/',
    'src/readModels/',
    'src/http/',
    'src/proxy/',
    'src/management/',
    'test/',
  ];
  const exists = (path: string) => folders.some((folder) => existsSync(new URL(`${folder}${path}`, root)));
  expect(paths).not.toEqual([]);
  expect(paths.filter((path) => !exists(path))).toEqual([]);
});
