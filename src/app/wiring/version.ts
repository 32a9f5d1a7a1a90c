import { readFileSync } from 'node:fs';

interface Package {
  readonly version: string;
}

/** The version of svc, as package.json says. */
export const VERSION = (JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as Package)
  .version;
