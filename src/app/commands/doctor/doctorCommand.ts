import type { CommandIo } from '../../commandLine/command.ts';
import { type Config, InvalidConfig, readConfig } from '../../config/config.ts';
import {
  type Check,
  checkDescriptors,
  checkDisk,
  checkFolder,
  checkPermissions,
  checkProvider,
  checkProxy,
  checkServers,
  checkVault,
  proxyOf,
} from './checks.ts';

/**
 * `svc doctor`: looks at what svc needs, beside a service or without one, and changes nothing. One line each, with what to do; with
 * `--json` one object.
 * @returns the exit code: 0 when nothing failed, 1 when something did
 */
export async function runDoctor({ isJson }: { readonly isJson: boolean }, { print }: CommandIo): Promise<number> {
  const checks = await allChecks();
  const hasFailed = checks.some(({ result }) => result === 'failed');
  if (isJson) print(JSON.stringify({ ok: !hasFailed, checks }));
  else for (const check of checks) print(describe(check));
  return hasFailed ? 1 : 0;
}

async function allChecks(): Promise<Check[]> {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    if (!(error instanceof InvalidConfig)) throw error;
    return error.message
      .split('\n')
      .map((found) => ({ name: 'configuration', result: 'failed', found, remedy: 'Correct it: docs/settings.md.' }));
  }
  const proxy = proxyOf(config);
  const [provider, ofProxy, servers] = await Promise.all([
    checkProvider('provider', config.SVC_UPSTREAM_BASE_URL, proxy),
    checkProxy(proxy),
    checkServers(config),
  ]);
  return [
    { name: 'configuration', result: 'ok', found: 'all settings are valid', remedy: '' },
    checkFolder(config),
    checkPermissions(config),
    checkVault(config),
    checkDisk(config),
    checkDescriptors(),
    ...provider,
    ofProxy,
    ...servers,
  ];
}

const describe = ({ name, result, found, remedy }: Check): string =>
  `${result.padEnd(8)}${name}: ${found}${remedy === '' ? '' : `. ${remedy}`}`;
