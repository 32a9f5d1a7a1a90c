import { hash } from 'node:crypto';
import type { AccountCommand } from '../../domain/account/decide.ts';
import type { ApiKeyCommand } from '../../domain/apiKey/decide.ts';
import type { AccountId, ApiKeyId, Instant } from '../../domain/core/brands.ts';
import { parseIp } from '../../domain/firewall/ipAddress.ts';
import type { Settings } from '../../domain/settings/events.ts';
import { type AuthFile, authFileFromTokens } from '../../management/accounts/authFile.ts';
import { isToken } from '../../provider/client/json.ts';
import type { HotState } from '../../state/fold/hotState.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { CannotImport } from './cannotImport.ts';
import { type FernetKey, openFernet } from './fernet.ts';
import { importedLimits } from './importedLimits.ts';
import type { ReportItem } from './importReport.ts';
import type { Source, SourceAccount, SourceKey, SourceSettings } from './readSource.ts';

type ImportKey = Extract<ApiKeyCommand, { type: 'ImportApiKey' }>;

/** An account to import. */
export interface PlannedAccount {
  readonly accountId: AccountId;
  /** Its id at the other program. */
  readonly sourceId: string;
  readonly file: AuthFile;
  readonly begins: Extract<AccountCommand, { type: 'ImportAccount' }>['begins'];
}

/** What an import will append, and the report about all that the other program has. */
export interface ImportPlan {
  readonly accounts: readonly PlannedAccount[];
  readonly keys: readonly ImportKey[];
  readonly ips: readonly string[];
  readonly settings: Partial<Settings>;
  /** The accounts here by their ids at the other program, imported or not. */
  readonly accountIds: ReadonlyMap<string, AccountId>;
  readonly items: readonly ReportItem[];
}

/** What svc has. */
export interface Here {
  readonly state: Pick<HotState, 'accounts' | 'apiKeys' | 'keyIdByHash' | 'firewall' | 'settings' | 'revisions'>;
  readonly accountIdOf: (file: AuthFile, newId: () => string) => AccountId;
  /** Addresses that were ever allowed, and settings that were ever changed. */
  readonly everAllowed: ReadonlySet<string>;
  readonly everSet: ReadonlySet<string>;
}

export interface PlanOptions {
  readonly key: FernetKey;
  /** The time that windows of limits follow. */
  readonly now: Instant;
  /** Whether keys stay active although svc cannot restrict them as they were. */
  readonly keepsActive: boolean;
}

/** Decides what to take over. Changes nothing. @throws CannotImport when the key file does not fit */
export function planImport(source: Source, here: Here, options: PlanOptions): ImportPlan {
  const items: ReportItem[] = [];
  const report = (kind: ReportItem['kind'], name: string, outcome: ReportItem['outcome'], reasons: string[] = []) =>
    void items.push({ kind, name, outcome, reasons });
  const accountIds = new Map<string, AccountId>();
  const accounts = planAccounts(source.accounts, here, options.key, accountIds, report);
  const keys = planKeys(source, here, options, report);
  const settings = planSettings(source.settings, here, report);
  const ips = planIps(source.allowedIps, here, report);
  reportOthers(source, report);
  return { accounts, keys, ips, settings, accountIds, items };
}

type Report = (kind: ReportItem['kind'], name: string, outcome: ReportItem['outcome'], reasons?: string[]) => void;

function planAccounts(
  rows: readonly SourceAccount[],
  here: Here,
  key: FernetKey,
  accountIds: Map<string, AccountId>,
  report: Report,
): PlannedAccount[] {
  const planned = new Map<AccountId, PlannedAccount>();
  // The newest tokens of one identity win: older refresh tokens have been used.
  for (const row of rows.toSorted((a, b) => b.last_refresh - a.last_refresh)) {
    const name = row.alias ?? row.email;
    if (row.delete_requested_at != null) {
      report('account', name, 'left', ['codex-lb was deleting it.']);
      continue;
    }
    const file = authFileOf(row, key);
    if (file === undefined) {
      report('account', name, 'left', ['One of its tokens is not one of the provider: sign in again.']);
      continue;
    }
    const accountId = here.accountIdOf(file, () => hash('sha256', row.id));
    accountIds.set(row.id, accountId);
    const reasons = unknownOfAccount(row);
    if (here.state.accounts.has(accountId)) {
      report('account', name, 'there', ['svc has this account; its tokens and state here stay.']);
    } else if (here.state.revisions.has(subjects.account.streamOf(accountId))) {
      report('account', name, 'there', ['It was deleted here. Import its auth file to have it again.']);
    } else if (planned.has(accountId)) {
      report('account', name, 'there', ['Another row of the same identity has newer tokens, which are imported.']);
    } else {
      const begins = stateOf(row);
      planned.set(accountId, { accountId, sourceId: row.id, file, begins });
      report('account', name, reasons.length === 0 ? 'imported' : 'changed', reasons);
    }
  }
  return [...planned.values()];
}

function authFileOf(row: SourceAccount, key: FernetKey): AuthFile | undefined {
  const open = (token: Uint8Array): string => {
    const text = openFernet(token, key);
    if (text !== undefined) return text;
    throw new CannotImport(
      'The key file does not open the tokens of this database: it is that of another installation, or they are damaged. By default it is encryption.key beside store.db. Nothing was imported.',
    );
  };
  const tokens = {
    accessToken: open(row.access_token_encrypted),
    refreshToken: open(row.refresh_token_encrypted),
    idToken: open(row.id_token_encrypted),
  };
  if (!Object.values(tokens).every(isToken)) return undefined;
  try {
    const file = authFileFromTokens(tokens, row.chatgpt_account_id ?? null);
    return { ...file, planType: row.plan_type, refreshedAt: row.last_refresh };
  } catch {
    return undefined;
  }
}

function stateOf({ status, deactivation_reason: reason }: SourceAccount): PlannedAccount['begins'] {
  if (status === 'paused') return 'paused';
  // Limits of the provider pass by themselves, and svc asks for them at once.
  if (status !== 'deactivated' && status !== 'reauth_required') return undefined;
  return { reason: (reason ?? 'codex-lb asked for a new sign-in').slice(0, 500).toWellFormed(), code: 'imported' };
}

const unknownOfAccount = ({ alias, routing_policy: policy }: SourceAccount): string[] => [
  ...(alias ? ['svc shows the name in its tokens instead of an alias.'] : []),
  ...(policy === 'normal' ? [] : [`svc has no routing policy "${policy}" of an account.`]),
];

function planKeys(source: Source, here: Here, { now, keepsActive }: PlanOptions, report: Report): ImportKey[] {
  const names = new Set([...here.state.apiKeys.values()].map(({ name }) => name));
  const planned: ImportKey[] = [];
  for (const row of source.keys) {
    const keyId = row.id as ApiKeyId;
    const shown = `${row.name} (${row.key_prefix}...)`;
    if (here.state.apiKeys.has(keyId) || here.state.keyIdByHash.has(row.key_hash)) {
      report('api_key', shown, 'there', ['svc has this key; its limits and state here stay.']);
      continue;
    }
    if (here.state.revisions.has(subjects.apiKey.streamOf(keyId))) {
      report('api_key', shown, 'there', ['It was deleted or replaced here.']);
      continue;
    }
    const { limits, changes, missing } = importedLimits(
      source.limits.filter(({ api_key_id }) => api_key_id === row.id),
      now,
    );
    const models = allowedModelsOf(row);
    const lost = [...missing, ...lostRestrictions(row), ...(models === 'none' ? ['It allows no model at all.'] : [])];
    const isHeld = row.is_active && (models === 'none' || (lost.length > 0 && !keepsActive));
    const reasons = [
      ...changes,
      ...lost,
      ...(isHeld ? ['It is inactive until you have looked at it, because it would be allowed more than before.'] : []),
      ...(row.enforced_model
        ? [`Requests for a model other than ${row.enforced_model} are refused, not redirected.`]
        : []),
      ...(names.has(row.name.trim()) ? ['Another key has the same name.'] : []),
    ];
    names.add(row.name.trim());
    planned.push({
      type: 'ImportApiKey',
      keyId,
      value: { hash: row.key_hash, prefix: row.key_prefix.slice(0, 32) },
      name: row.name,
      isActive: row.is_active && !isHeld,
      allowedModels: models === 'none' ? null : models,
      expiresAt: row.expires_at,
      limits,
    });
    report('api_key', shown, reasons.length === 0 ? 'imported' : 'changed', reasons);
  }
  return planned;
}

/** @returns null for all; `none` for a list that allows nothing, which svc does not have */
function allowedModelsOf({ allowed_models: text, enforced_model: enforced }: SourceKey): string[] | null | 'none' {
  if (enforced) return [enforced];
  if (text === null) return null;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return 'none';
  }
  if (!Array.isArray(list)) return null;
  const models = list.filter((model): model is string => typeof model === 'string' && model.trim() !== '');
  return models.length === 0 ? 'none' : models;
}

const lostRestrictions = (row: SourceKey): string[] => [
  ...(row.account_assignment_scope_enabled ? ['svc does not restrict a key to accounts.'] : []),
  ...(row.source_assignment_scope_enabled ? ['svc has no model sources, to which it is restricted.'] : []),
  ...(row.enforced_reasoning_effort ? [`svc does not set the effort "${row.enforced_reasoning_effort}".`] : []),
  ...(row.allowed_reasoning_efforts ? ['svc does not restrict the effort.'] : []),
  ...(row.enforced_service_tier ? [`svc does not set the service tier "${row.enforced_service_tier}".`] : []),
];

function planSettings(row: SourceSettings | undefined, here: Here, report: Report): Partial<Settings> {
  if (!row) return {};
  const wanted: [keyof Settings, Settings[keyof Settings]][] = [
    ['stickyThreadsEnabled', row.sticky_threads_enabled],
    ['preferEarlierResetAccounts', row.prefer_earlier_reset_accounts],
    ['routingStrategy', row.routing_strategy as Settings['routingStrategy']],
    ['importWithoutOverwrite', row.import_without_overwrite],
    ['apiKeyAuthEnabled', row.api_key_auth_enabled],
  ];
  const planned: Record<string, unknown> = {};
  for (const [name, value] of wanted) {
    const shown = `${name} ${value}`;
    if (name === 'routingStrategy' && !STRATEGIES.has(String(value))) {
      report('setting', shown, 'left', [`svc has no such strategy; it stays ${here.state.settings.routingStrategy}.`]);
    } else if (here.state.settings[name] === value) {
      report('setting', shown, 'there', ['svc has this value.']);
    } else if (here.everSet.has(name)) {
      report('setting', shown, 'there', [`It was set here, to ${here.state.settings[name]}, which stays.`]);
    } else {
      planned[name] = value;
      report('setting', shown, 'imported');
    }
  }
  if (row.password_hash != null) {
    report('setting', 'dashboard password', 'left', [
      'svc stores passwords in another form: set one in the dashboard.',
    ]);
  }
  if (row.totp_required_on_login) {
    report('setting', 'two-factor authentication', 'left', ['Set it up again in the dashboard, after the password.']);
  }
  if (row.guest_access_enabled) {
    report('setting', 'guest access', 'left', ['svc has operators with the role auditor instead.']);
  }
  return planned as Partial<Settings>;
}

const STRATEGIES = new Set<string>(['usage_weighted', 'round_robin'] satisfies Settings['routingStrategy'][]);

function planIps(rows: readonly string[], here: Here, report: Report): string[] {
  const planned = new Set<string>();
  for (const text of rows) {
    const ip = parseIp(text);
    if (ip === undefined) {
      report('allowed_ip', text, 'left', ['It is not an address that svc understands.']);
    } else if (here.state.firewall.has(ip) || planned.has(ip)) {
      report('allowed_ip', text, 'there', ['svc allows it.']);
    } else if (here.everAllowed.has(ip)) {
      report('allowed_ip', text, 'there', ['It was removed here.']);
    } else {
      planned.add(ip);
      report('allowed_ip', text, 'imported');
    }
  }
  return [...planned];
}

function reportOthers({ others, settings }: Source, report: Report): void {
  if (others.model_sources > 0)
    report('other', `${others.model_sources} model sources`, 'left', ['svc has one provider.']);
  if (others.automation_jobs > 0) report('other', `${others.automation_jobs} automations`, 'left');
  if (others.proxy_endpoints > 0 || settings?.upstream_proxy_routing_enabled) {
    const advice = 'Give accounts their proxies in the dashboard, or set HTTPS_PROXY.';
    report('other', `${others.proxy_endpoints} outgoing proxies`, 'left', [advice]);
  }
}
