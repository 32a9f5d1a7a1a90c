import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectFaults } from '../../test/support/collectFaults.ts';
import type { SimulatedAccount } from '../../test/support/provider/account.ts';
import { startProvider } from '../../test/support/provider/provider.ts';
import type { AccountImported, ImportedAccount } from '../domain/account/events.ts';
import { type AccountId, type Instant, instant, position } from '../domain/core/brands.ts';
import type { EventOf } from '../domain/core/event.ts';
import type { KnownEvent } from '../domain/eventTypes.ts';
import type { AppendOutcome, EventLog } from '../eventLog/eventLog.ts';
import { createSqliteEventLog } from '../eventLog/sqlite/sqliteEventLog.ts';
import { type Cause, createCommandHandler } from '../state/commands/commandHandler.ts';
import { subjects } from '../state/fold/subjects.ts';
import { startHotRunner } from '../state/hotRunner.ts';
import { openSqliteVault } from '../vault/sqliteVault.ts';
import { expiryOf, identityOf } from './client/jwt.ts';
import { createTokenEndpoint, type TokenEndpoint } from './client/tokenEndpoint.ts';
import { createModelPoller, type ModelPollerOptions } from './models/modelPoller.ts';
import { directCalls } from './outgoingProxy/directCalls.support.ts';
import { createAccessTokens } from './tokens/accessTokens.ts';
import { createUsagePoller, type UsagePollerOptions } from './usage/usagePoller.ts';

type AccountEventType = Extract<KnownEvent, { data: { accountId: AccountId } }>['type'];

/** Replaces one append of the log. */
type Intervention = (append: () => Promise<AppendOutcome>) => Promise<AppendOutcome>;

export const because: Cause = { actor: { kind: 'system', reason: 'a test' }, correlationId: 'test' };

/** Starts the simulated provider, a SQLite log and a vault in a temporary folder, and nodes that use them. */
export async function startFixture() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-provider-'));
  let offset = 0;
  const now = (): Instant => instant(Date.now() + offset);
  const provider = await startProvider({ now });
  const stored = await createSqliteEventLog({ path: join(folder, 'log.sqlite'), node: 'test' });
  const vault = openSqliteVault({ folder });
  const interventions = new Map<string, Intervention[]>();
  const reports: string[] = [];
  const closing: (() => Promise<void> | void)[] = [];

  const log: EventLog = {
    ...stored,
    append: (stream, expected, events, options) => {
      const append = () => stored.append(stream, expected, events, options);
      const intervene = interventions.get(events[0]?.type ?? '')?.shift();
      return intervene ? intervene(append) : append();
    },
  };

  /** Starts the parts of a node over the shared log. */
  async function startNode({ skewMs = 0, endpoint }: { skewMs?: number; endpoint?: TokenEndpoint } = {}) {
    const clock = () => instant(now() + skewMs);
    const hot = await startHotRunner(log, (error) => reports.push(error.message));
    const handle = createCommandHandler({ log, hot, now: clock });
    const report = (error: Error) => void reports.push(error.message);
    const faults = collectFaults(reports);
    const parts = { hot, handle, agentFor: directCalls, now: clock, newId: randomUUID, report, faults };
    const tokenEndpoint =
      endpoint ?? createTokenEndpoint({ authBaseUrl: provider.authUrl, agentFor: directCalls, timeoutMs: 500 });
    const tokens = createAccessTokens({ ...parts, vault, tokenEndpoint });
    closing.push(async () => {
      await tokens.stop();
      hot.stop();
    });
    return {
      ...parts,
      tokens,
      /** Creates a poller that retries without a pause; stopped with the fixture. */
      poller(options: Partial<UsagePollerOptions> = {}) {
        const defaults = { upstreamBaseUrl: provider.baseUrl, everyMs: 60_000, timeoutMs: 500, backoffMs: 1 };
        const poller = createUsagePoller({ ...parts, tokens, ...defaults, ...options });
        closing.push(poller.stop);
        return poller;
      },
      modelPoller(options: Partial<ModelPollerOptions> = {}) {
        const defaults = { upstreamBaseUrl: provider.baseUrl, clientVersion: '1.2.3', everyMs: 60_000, timeoutMs: 500 };
        const poller = createModelPoller({ ...parts, tokens, ...defaults, ...options });
        closing.push(poller.stop);
        return poller;
      },
    };
  }

  const node = await startNode();

  async function importAccount(at: SimulatedAccount, changes: Partial<ImportedAccount> = {}): Promise<AccountId> {
    const accountId = changes.accountId ?? (`${at.id}_local` as AccountId);
    const { id_token, access_token, refresh_token } = at.authFile().tokens;
    const keyId = await vault.createKey(accountId);
    const account: EventOf<typeof AccountImported>['data'] = {
      accountId,
      upstreamAccountId: at.id,
      email: null,
      displayName: null,
      planType: identityOf(id_token)?.planType ?? 'unknown',
      hasReadableIdToken: true,
      tokens: {
        access: vault.seal(keyId, access_token),
        refresh: vault.seal(keyId, refresh_token),
        idToken: vault.seal(keyId, id_token),
        accessExpiresAt: expiryOf(access_token),
        refreshedAt: now(),
      },
      ...changes,
    };
    const command = { type: 'ImportAccount', account, onDuplicate: 'replace' } as const;
    await node.handle(subjects.account, accountId, command, because);
    return accountId;
  }

  return {
    provider,
    vault,
    log,
    node,
    startNode,
    importAccount,
    reports,
    now,
    advance(ms: number) {
      offset += ms;
    },
    /** Replaces the next appends of events of this type, one intervention each. */
    onAppend(type: KnownEvent['type'], ...replacements: Intervention[]) {
      interventions.set(type, [...(interventions.get(type) ?? []), ...replacements]);
    },
    /** Events of these types about one account, in the order of the log. */
    async events<Type extends AccountEventType>(accountId: AccountId, ...types: Type[]) {
      const found: Extract<KnownEvent, { type: Type }>[] = [];
      for await (const { type, data } of log.readAll(position(0))) {
        const isIncluded = types.includes(type as Type) && (data as { accountId: AccountId }).accountId === accountId;
        if (isIncluded) found.push({ type, data } as (typeof found)[number]);
      }
      return found;
    },
    async close() {
      // In reverse order of creation, except for the log and the vault, which everything else uses.
      await provider.close();
      for (const close of closing.reverse()) await close();
      await stored.close();
      vault.close();
      rmSync(folder, { recursive: true });
    },
  };
}

export type ProviderFixture = Awaited<ReturnType<typeof startFixture>>;
export const TOKEN = '/oauth/token';
export const USAGE = '/backend-api/wham/usage';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
