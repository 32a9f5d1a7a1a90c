import type { ApiKeyId, Instant } from '../core/brands.ts';
import type { Context, Decider } from '../core/decider.ts';
import { refuse } from '../core/refusal.ts';
import type { LimitRule, OnExceeded } from '../limits/limitRule.ts';
import type { LimitType } from '../limits/limitTypes.ts';
import type { LimitWindow } from '../limits/limitWindows.ts';
import {
  isModelKept,
  MAX_ALLOWED_MODELS,
  MAX_LIMITS,
  MAX_MODEL_BYTES,
  shortenedModels,
  shortenedRules,
} from './bounds.ts';
import {
  ApiKeyActivated,
  ApiKeyCreated,
  ApiKeyDeactivated,
  ApiKeyDeleted,
  type ApiKeyEvent,
  ApiKeyExpiryChanged,
  ApiKeyLimitsChanged,
  ApiKeyModelsChanged,
  ApiKeyRegenerated,
  ApiKeyRenamed,
  ApiKeyUsageReset,
} from './events.ts';
import { type ApiKey, type ApiKeyState, evolve, initialState } from './state.ts';

export interface LimitRuleInput {
  readonly limitType: LimitType;
  readonly limitWindow: LimitWindow;
  readonly maxValue: number;
  readonly modelFilter: string | null;
  /** By default an existing rule keeps its own, and a new one finishes streams. */
  readonly onExceeded?: OnExceeded | undefined;
}

/** What is stored of a key's value. */
export interface KeyValue {
  readonly hash: string;
  readonly prefix: string;
}

/** Omitted fields stay unchanged. */
export interface ApiKeyChanges {
  readonly name?: string | undefined;
  readonly allowedModels?: readonly string[] | null | undefined;
  readonly expiresAt?: Instant | null | undefined;
  readonly isActive?: boolean | undefined;
  readonly limits?: readonly LimitRuleInput[] | undefined;
  readonly resetUsage?: boolean | undefined;
}

export type ApiKeyCommand =
  | ({ type: 'CreateApiKey'; keyId: ApiKeyId; value: KeyValue; name: string } & Pick<
      ApiKeyChanges,
      'allowedModels' | 'expiresAt' | 'limits'
    >)
  | { type: 'ChangeApiKey'; keyId: ApiKeyId; changes: ApiKeyChanges }
  | { type: 'RegenerateApiKey'; keyId: ApiKeyId; value: KeyValue }
  | { type: 'DeleteApiKey'; keyId: ApiKeyId };

/** @throws Refusal `api_key_not_found` | `invalid_api_key_payload` (with `param`) | `conflict` */
export function decide(command: ApiKeyCommand, state: ApiKeyState, { windowsNow }: Context): ApiKeyEvent[] {
  if (command.type === 'CreateApiKey') {
    if (state) refuse('conflict', { keyId: command.keyId });
    return [
      ApiKeyCreated({
        keyId: command.keyId,
        ...command.value,
        name: validName(command.name),
        allowedModels: normalModels(command.allowedModels ?? null),
        expiresAt: command.expiresAt ?? null,
        rules: mergeRules([], command.limits ?? [], 1, windowsNow),
      }),
    ];
  }
  const key = state ?? refuse('api_key_not_found', { keyId: command.keyId });
  const { id: keyId, name } = key;
  switch (command.type) {
    case 'ChangeApiKey':
      return decideChanges(command.changes, key, windowsNow);
    case 'RegenerateApiKey':
      return [ApiKeyRegenerated({ keyId, name, from: { hash: key.hash, prefix: key.prefix }, to: command.value })];
    case 'DeleteApiKey':
      return [ApiKeyDeleted({ keyId, name })];
  }
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
  if (changes.expiresAt !== undefined && changes.expiresAt !== key.expiresAt) {
    events.push(ApiKeyExpiryChanged({ keyId, name, from: key.expiresAt, to: changes.expiresAt }));
  }
  if (changes.isActive !== undefined && changes.isActive !== key.isActive) {
    events.push(changes.isActive ? ApiKeyActivated({ keyId, name }) : ApiKeyDeactivated({ keyId, name }));
  }
  if (changes.limits !== undefined) {
    const from = key.rules;
    const to = mergeRules(from, changes.limits, key.nextRuleId, windowsNow);
    if (!isSame(from, to)) events.push(ApiKeyLimitsChanged({ keyId, name, from: shortenedRules(from), to }));
  }
  if (changes.resetUsage) events.push(ApiKeyUsageReset({ keyId, name }));
  return events;
}

/** Type, window and model identify a rule: only its `maxValue` and `onExceeded` can change. */
function mergeRules(
  existing: readonly LimitRule[],
  wanted: readonly LimitRuleInput[],
  firstFreeId: number,
  windowsNow: Instant,
): LimitRule[] {
  requireAtMost(MAX_LIMITS, wanted.length, 'limits');
  let nextId = firstFreeId;
  const known = new Map(existing.map((rule) => [identityOf(rule), rule]));
  const seen = new Set<string>();
  return wanted.map((input, index) => {
    const modelFilter = input.modelFilter?.trim() || null;
    if (modelFilter !== null) requireKept(modelFilter, `limits.${index}.model_filter`);
    const identity = identityOf({ ...input, modelFilter });
    if (seen.has(identity)) {
      refuse('invalid_api_key_payload', {
        param: `limits.${index}`,
        problem: 'repeats a rule: type, window and model_filter together must be unique',
      });
    }
    seen.add(identity);
    if (!Number.isSafeInteger(input.maxValue) || input.maxValue < 1) {
      refuse('invalid_api_key_payload', {
        param: `limits.${index}.max_value`,
        problem: 'must be a whole number of at least 1',
      });
    }
    const same = known.get(identity);
    const { limitType, limitWindow, maxValue, onExceeded = same?.onExceeded ?? 'finish' } = input;
    if (same) return { ...same, maxValue, onExceeded };
    return { id: nextId++, limitType, limitWindow, maxValue, modelFilter, createdAt: windowsNow, onExceeded };
  });
}

const identityOf = ({ limitType, limitWindow, modelFilter }: LimitRuleInput) =>
  JSON.stringify([limitType, limitWindow, modelFilter]);

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

function requireAtMost(max: number, count: number, param: string): void {
  if (count > max) refuse('invalid_api_key_payload', { param, problem: `must have at most ${max} entries` });
}

function requireKept(model: string, param: string): void {
  const problem = `must be at most ${MAX_MODEL_BYTES} bytes long`;
  if (!isModelKept(model)) refuse('invalid_api_key_payload', { param, problem });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

export const apiKey: Decider<ApiKeyState, ApiKeyCommand, ApiKeyEvent> = { decide, evolve, initialState };
