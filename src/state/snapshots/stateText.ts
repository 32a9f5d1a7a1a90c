import type { Stretch } from '../../domain/clock/stretches.ts';
import { isSecret, REDACTED, toJson } from '../../domain/core/redact.ts';
import { Checkpoints, checkpointDataOf } from '../fold/checkpoints.ts';
import type { Fold } from '../fold/fold.ts';
import { HotState, type HotStateData } from '../fold/hotState.ts';
import { FOLD_VERSION } from './foldVersion.ts';
import { type SealedState, upcastSealedState } from './sealedUpcasters.ts';

/** A state that leaves the machine, as text. */
interface StateText {
  /** The version of the fold that made it. */
  readonly fold: number;
  readonly stretches: readonly Stretch[];
  readonly state: unknown;
}

/** Sessions, and what is looked up by hashes, which are left out. */
const WITHOUT = new Set(['keyIdByHash', 'sessions']);

/**
 * A state as JSON, without secrets: sealed values, hashes of keys and passwords, sessions, digests of conversations. A map is
 * `{"map":[[key,value],...]}`.
 */
export function writeStateText({ state, checkpoints }: Fold): string {
  const parts = Object.entries(checkpointDataOf(state)).filter(([name]) => !WITHOUT.has(name));
  const text: StateText = {
    fold: FOLD_VERSION,
    stretches: checkpoints.stretches,
    state: Object.fromEntries(parts.map(([name, part]) => [name, encode(part, name)])),
  };
  return `${JSON.stringify(text)}\n`;
}

function encode(value: unknown, name: string): unknown {
  // Versions of models are hashes that are there to be compared.
  if (typeof value === 'string') return name !== 'version' && isSecret(value, name) ? REDACTED : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Map) {
    return { map: [...value].map(([key, item]) => [key, encode(item, String(key))]) };
  }
  if (value instanceof Set) return { set: [...value].map((item) => encode(item, '')) };
  if (ArrayBuffer.isView(value)) return { list: toJson(Array.from(value as Float64Array)) };
  if (Array.isArray(value)) return value.map((item) => encode(item, ''));
  return Object.fromEntries(Object.entries(value).map(([field, item]) => [field, encode(item, field)]));
}

/** The state was written by a version of the fold that this svc cannot read. */
export class StateTextUnreadable extends Error {
  override readonly name = 'StateTextUnreadable';
  constructor(version: number) {
    super(
      `Version ${version} of the fold made the state, and this svc has version ${FOLD_VERSION}. Use that version of svc.`,
    );
  }
}

/** Reads it back. @throws StateTextUnreadable */
export function readStateText(text: string): Fold {
  const { fold, stretches, state } = JSON.parse(text) as StateText;
  const decoded = Object.entries(state as object).map(([name, part]) => [name, decode(part)]);
  // The step of a version may read any part.
  const empty = { ...new HotState().data(), pins: undefined, answers: undefined };
  const data = { ...empty, ...Object.fromEntries(decoded) } as unknown as HotStateData;
  const upcast = fold <= FOLD_VERSION ? upcastSealedState({ state: data, stretches } as SealedState, fold) : undefined;
  if (!upcast) throw new StateTextUnreadable(fold);
  const { pins: _, answers: __, ...current } = upcast.state;
  const hot = HotState.from(current);
  return { state: hot, checkpoints: Checkpoints.behind(hot, stretches) };
}

function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const fields = Object.entries(value);
  const [[name, items] = [], ...others] = fields;
  if (others.length === 0 && Array.isArray(items)) {
    if (name === 'map') return new Map(items.map(([key, item]: [unknown, unknown]) => [key, decode(item)]));
    if (name === 'set') return new Set(items.map(decode));
    if (name === 'list') return Float64Array.from(items as number[]);
  }
  return Object.fromEntries(fields.map(([field, item]) => [field, decode(item)]));
}
