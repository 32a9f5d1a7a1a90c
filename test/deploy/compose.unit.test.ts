import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const text = read('deploy/compose/compose.yml');
const alone = parse(text);
const withStores = parse(read('docker-compose.yml'));

test('svc alone runs as beside its stores: same image, ports, limits of its rights, and stop', () => {
  const { build, depends_on, environment, networks, ...shared } = withStores.services.svc;
  const { ulimits, build: ownBuild, environment: own, ...service } = alone.services.svc;
  expect(service).toEqual(shared);
  expect(ownBuild).toBe('../..');
  expect(Object.entries(own)).toEqual(Object.entries(environment).filter(([name]) => name in own));
  expect(Object.keys(alone)).toEqual(['services', 'volumes']);
});

test('its docker run line has the options of the file', () => {
  const line = /docker run .* svc$/m.exec(text.replaceAll(/\\\n#\s*/g, ''))?.[0] ?? '';
  const { ports, volumes, restart, stop_grace_period, cap_drop, security_opt, tmpfs, ulimits } = alone.services.svc;
  const options = [
    ...ports.map((port: string) => `-p ${port}`),
    ...volumes.map((volume: string) => `-v ${volume}`),
    ...tmpfs.map((path: string) => `--tmpfs ${path}`),
    `--restart ${restart}`,
    `--stop-timeout ${Number.parseInt(stop_grace_period, 10)}`,
    `--cap-drop ${cap_drop}`,
    `--security-opt ${String(security_opt).replace(':true', '')}`,
    `--ulimit nofile=${ulimits.nofile}`,
    '--read-only',
  ];
  for (const option of options) expect(line).toContain(option);
});
