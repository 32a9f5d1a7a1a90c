import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { parseConnectionString } from '../../../eventLog/eventstore/client/connectionString.ts';
import { readDescriptorLimit } from '../../../lib/descriptors/systemDescriptors.ts';
import { type OutgoingProxy, parseOutgoingProxy } from '../../../provider/outgoingProxy/outgoingProxy.ts';
import { openVaultForReading } from '../../../vault/readOnlyVault.ts';
import type { Config } from '../../config/config.ts';
import { FolderOfEventStore, requireOwnLog } from '../../wiring/requireOwnLog.ts';

/** What was looked at, and what to do about it. */
export interface Check {
  readonly name: string;
  /** `skipped`: the configuration does not use it, or another check has to pass first. */
  readonly result: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly found: string;
  /** Empty where nothing is to be done. */
  readonly remedy: string;
}

const ok = (name: string, found: string): Check => ({ name, result: 'ok', found, remedy: '' });
const skipped = (name: string, found: string): Check => ({ name, result: 'skipped', found, remedy: '' });
const failed = (name: string, found: string, remedy: string): Check => ({ name, result: 'failed', found, remedy });
const warning = (name: string, found: string, remedy: string): Check => ({ name, result: 'warning', found, remedy });

/** Whether the folder can be used by this user; a missing one is created by the first start. */
export function checkFolder({ SVC_DATA_DIR, SVC_EVENTSTORE_URL }: Config): Check {
  const folder = resolve(SVC_DATA_DIR);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return ok('folder', `${folder} does not exist yet: the first start creates it`);
  if (!found.isDirectory())
    return failed('folder', `${folder} is not a folder`, 'Set SVC_DATA_DIR to a folder, or move this file away.');
  if (existsSync(join(folder, 'restore.part')))
    return failed('folder', `a restore to ${folder} was interrupted`, 'Run "svc restore" again.');
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return failed('folder', `${folder} is not writable for this user`, 'Run svc as its owner, or change its owner.');
  }
  if (SVC_EVENTSTORE_URL === undefined && isOfEventStore(folder))
    return failed(
      'folder',
      `${folder} is the data folder of a node with EventStoreDB`,
      'Set SVC_EVENTSTORE_URL, or SVC_DATA_DIR to another folder.',
    );
  return ok('folder', folder);
}

function isOfEventStore(folder: string): boolean {
  try {
    requireOwnLog({ path: folder, file: (name) => join(folder, name) });
    return false;
  } catch (error) {
    // Any other problem of the log is reported by "svc verify".
    return error instanceof FolderOfEventStore;
  }
}

/** Whether each file belongs to this user, and no other user may read the keys. */
export function checkPermissions({ SVC_DATA_DIR }: Config): Check {
  const folder = resolve(SVC_DATA_DIR);
  if (!existsSync(folder)) return skipped('permissions', 'there is no data folder yet');
  const own = process.geteuid?.();
  for (const name of readdirSync(folder)) {
    const found = statSync(join(folder, name), { throwIfNoEntry: false });
    if (!found) continue;
    const path = join(folder, name);
    if (name.endsWith('.key') && (found.mode & 0o077) !== 0)
      return failed('permissions', `${path} can be read by other users`, `chmod 600 ${path}`);
    if (own !== undefined && own !== 0 && found.uid !== own)
      return failed('permissions', `${path} belongs to another user`, `Change its owner to the user that runs svc.`);
  }
  return ok('permissions', 'files belong to this user, keys are private');
}

const LITTLE_BYTES = 1_000_000_000;

/** Room on the disk of the data folder, and file descriptors. */
export function checkDisk({ SVC_DATA_DIR }: Config): Check {
  let folder = resolve(SVC_DATA_DIR);
  while (!existsSync(folder)) folder = join(folder, '..');
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const shown = `${(free / 1_000_000_000).toFixed(1)} GB free`;
  if (free < 10_000_000) return failed('disk', shown, 'Make room: a start needs 10 MB, requests some 2 kB each.');
  if (free < LITTLE_BYTES)
    return warning('disk', shown, 'Make room, archive days of requests, or move the data folder.');
  return ok('disk', shown);
}

const FEW_DESCRIPTORS = 1_024;

export function checkDescriptors(): Check {
  const limit = readDescriptorLimit();
  if (limit === undefined) return skipped('descriptors', 'this system does not say');
  const found = `${limit} file descriptors`;
  return limit < FEW_DESCRIPTORS
    ? warning('descriptors', found, 'Raise the limit (`ulimit -n`, LimitNOFILE=): a stream needs two.')
    : ok('descriptors', found);
}

/** Whether the key of the vault is there and opens it. */
export function checkVault({
  SVC_DATA_DIR,
  SVC_ENCRYPTION_KEY,
  SVC_ENCRYPTION_KEY_NEW,
  SVC_EVENTSTORE_URL,
}: Config): Check {
  const folder = resolve(SVC_DATA_DIR);
  if (SVC_EVENTSTORE_URL !== undefined)
    return SVC_ENCRYPTION_KEY === undefined
      ? failed('vault', 'SVC_ENCRYPTION_KEY is not set', 'Set it to the key that all nodes share.')
      : skipped('vault', 'its keys are in EventStoreDB');
  if (!existsSync(join(folder, 'vault.sqlite'))) {
    return existsSync(join(folder, 'log.sqlite'))
      ? failed('vault', 'vault.sqlite is missing', 'Restore it from a backup, or run "svc accept-loss --vault".')
      : ok('vault', 'the first start creates it');
  }
  const { vault, problem } = openVaultForReading({
    folder,
    masterKey: SVC_ENCRYPTION_KEY,
    newMasterKey: SVC_ENCRYPTION_KEY_NEW,
  });
  vault.close();
  return problem === undefined
    ? ok('vault', 'the master key opens it')
    : failed('vault', problem, 'Give svc the key that the vault was created with.');
}

const CLOCK_TOLERANCE_MS = 60_000;
const TIMEOUT_MS = 5_000;

/** The provider's answer, whatever its status, and the difference of the clocks that it shows. */
export async function checkProvider(name: string, url: string, viaProxy: OutgoingProxy | undefined): Promise<Check[]> {
  if (viaProxy)
    return [
      skipped(name, `${new URL(url).host} is called through the proxy`),
      skipped('clock', 'not compared through a proxy'),
    ];
  try {
    const began = Date.now();
    const response = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    const date = Date.parse(response.headers.get('date') ?? '');
    return [ok(name, `${new URL(url).host} responds`), checkClock(date, (began + Date.now()) / 2)];
  } catch (error) {
    const cause = (error as { cause?: { message?: string } }).cause?.message ?? (error as Error).message;
    return [
      failed(
        name,
        `${new URL(url).host} does not respond: ${cause}`,
        'Check the network, DNS, the firewall and SVC_PROXY_URL.',
      ),
      skipped('clock', 'there is nothing to compare it with'),
    ];
  }
}

function checkClock(theirs: number, ours: number): Check {
  if (Number.isNaN(theirs)) return skipped('clock', 'the provider does not say its time');
  const difference = ours - theirs;
  const seconds = Math.round(Math.abs(difference) / 1_000);
  if (Math.abs(difference) < CLOCK_TOLERANCE_MS) return ok('clock', 'agrees with the provider');
  const found = `is ${seconds} s ${difference > 0 ? 'ahead of' : 'behind'} the provider`;
  return failed('clock', found, 'Set the clock (NTP); then "svc accept-clock" if limits counted by the wrong one.');
}

/** The proxy that calls to the provider take; undefined for direct calls. */
export function proxyOf({
  SVC_PROXY_URL,
  HTTPS_PROXY,
  HTTP_PROXY,
  SVC_UPSTREAM_BASE_URL,
}: Config): OutgoingProxy | undefined {
  const address = SVC_PROXY_URL ?? (SVC_UPSTREAM_BASE_URL.startsWith('https:') ? HTTPS_PROXY : HTTP_PROXY);
  return address === undefined ? undefined : parseOutgoingProxy(address);
}

export const checkProxy = async (proxy: OutgoingProxy | undefined): Promise<Check> =>
  proxy
    ? await reachable('proxy', proxy.host, proxy.port, 'Check SVC_PROXY_URL and the proxy.')
    : skipped('proxy', 'none is set');

/** EventStoreDB and MongoDB, each by a connection to its first host. */
export async function checkServers({ SVC_EVENTSTORE_URL, SVC_MONGODB_URL }: Config): Promise<Check[]> {
  const checks: Promise<Check>[] = [];
  if (SVC_EVENTSTORE_URL !== undefined) {
    const [host] = parseConnectionString(SVC_EVENTSTORE_URL).hosts;
    if (host)
      checks.push(
        reachable('eventstore', host.address, host.port, 'Start EventStoreDB, or correct SVC_EVENTSTORE_URL.'),
      );
  }
  if (SVC_MONGODB_URL?.startsWith('mongodb://')) {
    const [, address = '', port = '27017'] =
      /^mongodb:\/\/(?:[^@/]*@)?([^:,/?]+)(?::(\d+))?/.exec(SVC_MONGODB_URL) ?? [];
    checks.push(reachable('mongodb', address, Number(port), 'Start MongoDB, or correct SVC_MONGODB_URL.'));
  } else if (SVC_MONGODB_URL !== undefined)
    checks.push(Promise.resolve(skipped('mongodb', 'its hosts are found by DNS')));
  return checks.length > 0 ? Promise.all(checks) : [skipped('servers', 'neither EventStoreDB nor MongoDB is used')];
}

function reachable(name: string, host: string, port: number, remedy: string): Promise<Check> {
  return new Promise((done) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    const end = (check: Check): void => {
      socket.destroy();
      done(check);
    };
    socket.once('connect', () => end(ok(name, `${host}:${port} accepts connections`)));
    socket.once('timeout', () => end(failed(name, `${host}:${port} does not respond`, remedy)));
    socket.once('error', (error) => end(failed(name, `${host}:${port}: ${error.message}`, remedy)));
  });
}
