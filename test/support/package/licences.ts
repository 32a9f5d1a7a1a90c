// `npm run licences`: prints name, version and licence of each package that svc ships, one a line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type LockedPackages, productionPackages } from './productionPackages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const readJson = <Content>(name: string): Content => JSON.parse(readFileSync(join(root, name), 'utf8')) as Content;

interface Installed {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type: string };
}

const { dependencies } = readJson<{ dependencies: Record<string, string> }>('package.json');
const { packages } = readJson<{ packages: LockedPackages }>('package-lock.json');
const names = Object.keys(dependencies).filter((name) => name !== 'node');
const lines = productionPackages(packages, names).map((path) => {
  const { name, version, license = 'none named' } = readJson<Installed>(`${path}/package.json`);
  return `${name} ${version} ${typeof license === 'string' ? license : license.type}\n`;
});
process.stdout.write(lines.toSorted().join(''));
