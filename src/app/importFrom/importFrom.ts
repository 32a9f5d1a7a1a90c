import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { openDataFolder } from '../../dataFolder/dataFolder.ts';
import { DataFolderInUse } from '../../dataFolder/folderLock.ts';
import { type AccountId, type ApiKeyId, instant } from '../../domain/core/brands.ts';
import { windowsTime } from '../../domain/limits/windowsClock.ts';
import { ImportBegun } from '../../domain/moving/events.ts';
import { newEventId } from '../../eventLog/eventId.ts';
import { type EventLog, NO_STREAM } from '../../eventLog/eventLog.ts';
import { Faults } from '../../lib/faults.ts';
import { accountIdOf, sealAccount } from '../../management/accounts/sealAccount.ts';
import { type Cause, createCommandHandler } from '../../state/commands/commandHandler.ts';
import { emptyFold } from '../../state/fold/fold.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { type HotRunner, startHotRunner } from '../../state/hotRunner.ts';
import { firstFold } from '../../state/snapshots/sealedFold.ts';
import type { Vault } from '../../vault/vault.ts';
import { userName } from '../commands/userName.ts';
import type { Config } from '../config/config.ts';
import { openStore } from '../wiring/openStore.ts';
import { CannotImport } from './cannotImport.ts';
import { type FernetKey, readFernetKey } from './fernet.ts';
import type { ReportItem } from './importReport.ts';
import { appendRequests, importedRequests, planRequests, type RequestPlan } from './importRequests.ts';
import { openDatabase, type SourceDatabase } from './openDatabase.ts';
import { type Here, type ImportPlan, planImport } from './planImport.ts';
import { readSource, type Source } from './readSource.ts';

export interface ImportOptions {
  readonly database: string;
  readonly keyFile: string;
  readonly isDryRun: boolean;
  readonly keepsActive: boolean;
  /** Whether the request log comes over, too. */
  readonly withRequests: boolean;
}

export interface ImportResult {
  /** The revision of the schema of the other program. */
  readonly schema: string;
  readonly items: readonly ReportItem[];
  /** Whether anything was appended, or would be. */
  readonly isChange: boolean;
}

/**
 * Takes over accounts, API keys, settings and the allowlist of codex-lb into the configured log. The same import again
 * changes nothing: what svc has or had stays as it is here.
 * @param print prints lines for the operator, e.g. while it waits for a store
 * @throws CannotImport, and what opening the store throws
 */
export async function importFromCodexLb(
  options: ImportOptions,
  config: Config,
  print: (line: string) => void,
): Promise<ImportResult> {
  const key = readKeyFile(options.keyFile);
  using source = openDatabase(options.database);
  // Refuses what cannot be imported before there is a data folder.
  const onEmpty = planFor(source, emptyHere(), key, options);
  const path = resolve(config.SVC_DATA_DIR);
  if (options.isDryRun && config.SVC_EVENTSTORE_URL === undefined && !existsSync(join(path, 'log.sqlite'))) {
    return resultOf(source, onEmpty);
  }

  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(openFolder(path, config.SVC_NODE_ID), (locked) => locked.close());
  const report = (error: unknown) => print(String(error));
  const store = await openStore(config, folder, { print, report, faults: new Faults({ print, now: Date.now }) });
  opened.defer(async () => {
    await store.outbox?.close();
    await store.close();
  });
  const { log, vault } = store;
  const hot = opened.adopt(await startHotRunner(log, () => undefined, firstFold(store.logPath)), (runner) =>
    runner.stop(),
  );
  const plan = planFor(source, await hereOf(hot, log, vault, options), key, options);
  const result = resultOf(source, plan);
  if (result.isChange && !options.isDryRun) await carryOut(plan, source, { log, vault, hot });
  return result;
}

/** What an import will append. */
interface WholePlan extends ImportPlan {
  readonly requests: RequestPlan;
}

const resultOf = ({ schema }: SourceDatabase, { items, requests, ...plan }: WholePlan): ImportResult => ({
  schema,
  items: [...items, ...requests.items],
  isChange: countOf(plan) + requests.wanted > 0,
});

const countOf = ({ accounts, keys, ips, settings }: Omit<ImportPlan, 'items'>): number =>
  accounts.length + keys.length + ips.length + Object.keys(settings).length;

function planFor(database: SourceDatabase, here: Present, key: FernetKey, options: ImportOptions): WholePlan {
  const source = readSource(database);
  const plan = planImport(source, here, { key, now: instant(here.now()), keepsActive: options.keepsActive });
  const requests = planRequests(database, {
    isWanted: options.withRequests,
    known: here.importedRequests,
    accountIds: plan.accountIds,
    keyIds: keyIdsOf(source, here),
  });
  return { ...plan, requests };
}

/** The keys here by their ids at the other program. */
const keyIdsOf = ({ keys }: Source, { state }: Here): ReadonlyMap<string, ApiKeyId> =>
  new Map(keys.map(({ id, key_hash }) => [id, state.keyIdByHash.get(key_hash) ?? (id as ApiKeyId)]));

function readKeyFile(path: string): FernetKey {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const reason = (error as Error).message;
    throw new CannotImport(`The key file cannot be read (${reason}). By default it is encryption.key beside store.db.`);
  }
  const key = readFernetKey(text);
  if (key) return key;
  throw new CannotImport(`${path} is not a key of codex-lb, which is one line of 44 characters.`);
}

function openFolder(path: string, nodeId: string | undefined) {
  try {
    return openDataFolder(path, { nodeId });
  } catch (error) {
    if (!(error instanceof DataFolderInUse)) throw error;
    throw new CannotImport(`${path} is in use by a running service: stop it, import, and start it again.`);
  }
}

/** What svc has, and what an import needs beside it. */
interface Present extends Here {
  readonly now: () => number;
  /** Ids of the requests that were imported before. */
  readonly importedRequests: ReadonlySet<string>;
}

/** A log that does not exist yet. */
function emptyHere(): Present {
  const { state } = emptyFold();
  const none = new Set<string>();
  return {
    state,
    // Without an installation there is no id yet; equal identities must be recognised all the same.
    accountIdOf: (file, newId) =>
      `${file.upstreamAccountId ?? newId()} ${file.email?.toLowerCase() ?? ''}` as AccountId,
    everAllowed: none,
    everSet: none,
    importedRequests: none,
    now: Date.now,
  };
}

async function hereOf(
  { state }: HotRunner,
  log: EventLog,
  vault: Vault,
  { withRequests }: ImportOptions,
): Promise<Present> {
  const [everAllowed, everSet] = [new Set<string>(), new Set<string>()];
  for await (const { type, data } of log.readStream(subjects.firewall.streamOf('main'))) {
    if (type === 'IpAllowed') everAllowed.add((data as { ip: string }).ip);
  }
  for await (const { type, data } of log.readStream(subjects.settings.streamOf('main'))) {
    if (type === 'SettingsChanged') for (const name of Object.keys((data as { to: object }).to)) everSet.add(name);
  }
  return {
    state,
    accountIdOf: (file, newId) => accountIdOf(file, { vault, newId, isKnown: (id) => state.accounts.has(id) }),
    everAllowed,
    everSet,
    importedRequests: withRequests ? await importedRequests(log, state) : new Set(),
    now: () => windowsTime(state.windowsClock, instant(Date.now())),
  };
}

interface Target {
  readonly log: EventLog;
  readonly vault: Vault;
  readonly hot: HotRunner;
}

/** Appends what was planned, each thing at once; an import that is interrupted goes on when it is run again. */
async function carryOut(plan: WholePlan, source: SourceDatabase, { log, vault, hot }: Target): Promise<void> {
  const importId = randomUUID();
  const actor = { kind: 'cli', command: 'import-from codex-lb', user: userName() } as const;
  const cause: Cause = { actor, correlationId: importId };
  const { accounts, keys, ips, settings, requests } = plan;
  const begun = ImportBegun({
    ...{ importId, program: 'codex-lb', schema: source.schema },
    ...{ accounts: accounts.length, apiKeys: keys.length, allowedIps: ips.length },
    ...{ settings: Object.keys(settings), requests: requests.wanted },
  });
  const event = { ...begun, id: newEventId(), time: instant(Date.now()), ...cause };
  const outcome = await log.append(`import-${importId}`, NO_STREAM, [event]);
  if (outcome.kind !== 'committed') {
    throw new CannotImport(`The event log refuses the import (${outcome.kind}). Nothing was imported; run it again.`);
  }
  const handle = createCommandHandler({ log, hot });
  for (const { accountId, file, begins } of accounts) {
    const keyId = await vault.createKey(accountId);
    const account = sealAccount(file, accountId, vault, keyId, instant(Date.now()));
    await handle(subjects.account, accountId, { type: 'ImportAccount', account, onDuplicate: 'skip', begins }, cause);
  }
  for (const key of keys) await handle(subjects.apiKey, key.keyId, key, cause);
  if (Object.keys(settings).length > 0) {
    await handle(subjects.settings, 'main', { type: 'ChangeSettings', to: settings }, cause);
  }
  for (const ip of ips) await handle(subjects.firewall, 'main', { type: 'AllowIp', ip }, cause);
  if (requests.wanted > 0) await appendRequests(source, requests, { log, importId, cause });
}
