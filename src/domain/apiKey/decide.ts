import { isRegion } from '../account/region.ts';
import type { ApiKeyId, Instant, TeamId } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import { isModelKept, MAX_MODEL_BYTES } from '../limits/bounds.ts';
import { type LimitRuleInput, mergeRules, rulesChange } from '../limits/changeRules.ts';
import { readOwner } from '../owner/ownerName.ts';
import { MAX_ALLOWED_MODELS, MAX_REGIONS, shortenedModels } from './bounds.ts';
import {
  ApiKeyActivated,
  ApiKeyCreated,
  ApiKeyDeactivated,
  ApiKeyDeleted,
  type ApiKeyEvent,
  ApiKeyExpiryChanged,
  ApiKeyLimitsChanged,
  ApiKeyModelsChanged,
  ApiKeyOwnerChanged,
  ApiKeyRegenerated,
  ApiKeyRegionsChanged,
  ApiKeyRenamed,
  ApiKeyTeamChanged,
  ApiKeyUsageReset,
} from './events.ts';
import { type ApiKey, type ApiKeyState, evolve, initialState } from './state.ts';

/** What is stored of a key's value. */
export interface KeyValue {
  readonly hash: string;
  readonly prefix: string;
}

/** A limit that another program has counted for. */
export interface ImportedLimit extends LimitRuleInput {
  /** When its current window began; never after now. */
  readonly createdAt: Instant;
  /** The amount counted in that window. */
  readonly used: number;
}

/** Omitted fields stay unchanged. */
export interface ApiKeyChanges {
  readonly name?: string | undefined;
  readonly allowedModels?: readonly string[] | null | undefined;
  /** Null: every region. */
  readonly regions?: readonly string[] | null | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly limits?: readonly LimitRuleInput[] | undefined;
  /** Null: none. */
  readonly owner?: string | null | undefined;
  /** Null: none. Of a team that exists. */
  readonly team?: TeamId | null | undefined;
  readonly resetUsage?: boolean | undefined;
}

export type ApiKeyCommand =
  | ({ type: 'CreateApiKey'; keyId: ApiKeyId; value: KeyValue; name: string } & Pick<
      ApiKeyChanges,
      'allowedModels' | 'regions' | 'expiresAt' | 'limits' | 'owner' | 'team'
    >)
  | ({ type: 'ImportApiKey'; keyId: ApiKeyId; value: KeyValue; name: string; isActive: boolean } & {
      allowedModels: readonly string[] | null;
      expiresAt: Instant | null;
      limits: readonly ImportedLimit[];
    })
  | { type: 'ChangeApiKey'; keyId: ApiKeyId; changes: ApiKeyChanges }
  | { type: 'RegenerateApiKey'; keyId: ApiKeyId; value: KeyValue }
  | { type: 'DeleteApiKey'; keyId: ApiKeyId; forgetsCallers?: boolean };

/** @throws Refusal `api_key_not_found` | `invalid_api_key_payload` (with `param`) | `conflict` */
export function decide(command: ApiKeyCommand, state: ApiKeyState, { windowsNow }: Context): ApiKeyEvent[] {
  if (command.type === 'CreateApiKey') {
    if (state) refuse('conflict', { keyId: command.keyId });
    const { owner, team } = command;
    const regions = normalRegions(command.regions ?? null);
    const none = { rules: [], nextRuleId: 1 };
    return [
      ApiKeyCreated({
        keyId: command.keyId,
        ...command.value,
        name: validName(command.name),
        allowedModels: normalModels(command.allowedModels ?? null),
        expiresAt: command.expiresAt ?? null,
        rules: rulesChange(none, command.limits ?? [], windowsNow, refuseRules)?.to ?? [],
        ...(owner != null && { owner: validOwner(owner) }),
        ...(team != null && { team }),
        ...(regions && { regions }),
      }),
    ];
  }
  if (command.type === 'ImportApiKey') return decideImport(command, state, windowsNow);
  const key = state ?? refuse('api_key_not_found', { keyId: command.keyId });
  const { id: keyId, name } = key;
  switch (command.type) {
    case 'ChangeApiKey':
      return decideChanges(command.changes, key, windowsNow);
    case 'RegenerateApiKey':
      return [ApiKeyRegenerated({ keyId, name, from: { hash: key.hash, prefix: key.prefix }, to: command.value })];
    case 'DeleteApiKey':
      return [ApiKeyDeleted({ keyId, name, ...(command.forgetsCallers && { forgetsCallers: true as const }) })];
  }
}

/** The value of the key stays what it was at the other program, and so do its windows. */
function decideImport(
  { keyId, value, name, allowedModels, expiresAt, isActive, limits }: Extract<ApiKeyCommand, { type: 'ImportApiKey' }>,
  state: ApiKeyState,
  windowsNow: Instant,
): ApiKeyEvent[] {
  if (state) refuse('conflict', { keyId });
  const merged = mergeRules([], limits, 1, windowsNow, refuseRules);
  const rules = merged.map((rule, index) => {
    const { createdAt = windowsNow } = limits[index] ?? {};
    return createdAt < windowsNow ? { ...rule, createdAt } : rule;
  });
  const used = rules.map(({ id: ruleId }, index) => ({ ruleId, amount: limits[index]?.used ?? 0 }));
  const created = ApiKeyCreated({
    keyId,
    ...value,
    name: validName(name),
    allowedModels: normalModels(allowedModels),
    expiresAt,
    rules,
    used,
  });
  return isActive ? [created] : [created, ApiKeyDeactivated({ keyId, name: validName(name) })];
}

function decideChanges(changes: ApiKeyChanges, key: ApiKey, windowsNow: Instant): ApiKeyEvent[] {
  const { id: keyId } = key;
  const name = changes.name === undefined ? key.name : validName(changes.name);
  const events: ApiKeyEvent[] = [];
  if (name !== key.name) events.push(ApiKeyRenamed({ keyId, from: key.name, to: name }));
  if (changes.allowedModels !== undefined) {
    const to = normalModels(changes.allowedModels);
    const from = key.allowedModels;
    if (!isSame(from, to)) events.push(ApiKeyModelsChanged({ keyId, name, from: shortenedModels(from), to }));
  }
  if (changes.regions !== undefined) {
    const [from, to] = [key.regions ? [...key.regions] : null, normalRegions(changes.regions)];
    if (!isSame(from, to)) events.push(ApiKeyRegionsChanged({ keyId, name, from, to }));
  }
  if (changes.expiresAt !== undefined && changes.expiresAt !== key.expiresAt) {
    events.push(ApiKeyExpiryChanged({ keyId, name, from: key.expiresAt, to: changes.expiresAt }));
  }
  if (changes.isActive !== undefined && changes.isActive !== key.isActive) {
    events.push(changes.isActive ? ApiKeyActivated({ keyId, name }) : ApiKeyDeactivated({ keyId, name }));
  }
  const change = changes.limits && rulesChange(key, changes.limits, windowsNow, refuseRules);
  if (change) events.push(ApiKeyLimitsChanged({ keyId, name, ...change }));
  events.push(...decideMoves(changes, key, name));
  if (changes.resetUsage) events.push(ApiKeyUsageReset({ keyId, name }));
  return events;
}

/** A key moves to another owner or team; what it has used stays where it was counted. */
function decideMoves({ owner, team }: ApiKeyChanges, key: ApiKey, name: string): ApiKeyEvent[] {
  const { id: keyId } = key;
  const events: ApiKeyEvent[] = [];
  if (owner !== undefined) {
    const [from, to] = [key.owner ?? null, owner === null ? null : validOwner(owner)];
    if (from !== to) events.push(ApiKeyOwnerChanged({ keyId, name, from, to }));
  }
  if (team !== undefined && team !== (key.team ?? null))
    events.push(ApiKeyTeamChanged({ keyId, name, from: key.team ?? null, to: team }));
  return events;
}

const refuseRules = (details: object): never => refuse('invalid_api_key_payload', { ...details });

function validOwner(text: string): string {
  const read = readOwner(text);
  return 'owner' in read ? read.owner : refuse('invalid_api_key_payload', { param: 'owner', problem: read.problem });
}

function validName(name: string): string {
  const trimmed = name.trim();
  const { length } = [...trimmed];
  if (length >= 1 && length <= 128) return trimmed;
  return refuse('invalid_api_key_payload', { param: 'name', problem: 'must have 1 to 128 characters' });
}

/**
 * Drops blank names. An empty list means every model, which is null. A list of blank names only is refused, because it was
 * meant to allow something and must not allow everything.
 */
function normalModels(models: readonly string[] | null): string[] | null {
  if (models === null || models.length === 0) return null;
  const names = [...new Set(models.map((model) => model.trim()).filter((model) => model !== ''))];
  requireAtMost(MAX_ALLOWED_MODELS, names.length, 'allowed_models');
  for (const [index, name] of names.entries()) requireKept(name, `allowed_models.${index}`);
  if (names.length > 0) return names;
  return refuse('invalid_api_key_payload', {
    param: 'allowed_models',
    problem: 'must name a model, or be empty for all',
  });
}

/**
 * Regions in lower case. An empty list means every region, which is null; one with blank names is refused, because it was meant to
 * restrict something.
 */
function normalRegions(regions: readonly string[] | null): string[] | null {
  if (regions === null || regions.length === 0) return null;
  requireAtMost(MAX_REGIONS, regions.length, 'regions');
  const names = regions.map((region) => region.trim().toLowerCase());
  const wrong = names.findIndex((name) => !isRegion(name));
  if (wrong >= 0) {
    const problem = 'must be a region as accounts name it, such as us or eu: 1 to 64 letters, digits, dots, - and _';
    refuse('invalid_api_key_payload', { param: `regions.${wrong}`, problem });
  }
  return [...new Set(names)].sort();
}

function requireAtMost(max: number, count: number, param: string): void {
  if (count > max) refuse('invalid_api_key_payload', { param, problem: `must have at most ${max} entries` });
}

function requireKept(model: string, param: string): void {
  const problem = `must be at most ${MAX_MODEL_BYTES} bytes long`;
  if (!isModelKept(model)) refuse('invalid_api_key_payload', { param, problem });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const apiKey: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = { decide, evolve, initialState };
