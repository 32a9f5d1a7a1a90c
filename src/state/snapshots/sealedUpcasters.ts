import type { Stretch } from '../../domain/clock/stretches.ts';
import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import { NO_PASSKEYS } from '../../domain/operator/passkeys.ts';
import { initialState as noOperators, type Operator } from '../../domain/operator/state.ts';
import type { Session } from '../../domain/session/state.ts';
import type { HotStateData } from '../fold/hotState.ts';
import { FOLD_VERSION } from './foldVersion.ts';

/** The state of a fold at the end of a segment. */
export interface SealedState {
  readonly state: HotStateData;
  readonly stretches: readonly Stretch[];
}

/** Turns the state that one version of the fold has sealed into that of the next version. Owns its argument. */
export type SealedUpcaster = (sealed: SealedState) => SealedState;

/** The first version of the fold whose sealed states are read. */
export const FIRST_SEALED_VERSION = 17;

/** The step of a version whose changes need none: parts of the state that are new and empty, new event types. */
export const unchanged: SealedUpcaster = (sealed) => sealed;

/** Before operators existed, all sessions were the built-in administrator's. */
function withOperatorsOfSessions(sealed: SealedState): SealedState {
  const builtIn = { operatorId: BUILT_IN_ADMINISTRATOR, method: 'password' };
  const unknown = { authenticatedAt: null, address: null, userAgent: null };
  const sessions = new Map<string, Session>();
  for (const [id, session] of sealed.state.sessions) sessions.set(id, { ...session, ...builtIn, ...unknown });
  return { ...sealed, state: { ...sealed.state, sessions } };
}

/** Before passkeys existed, no operator had one and no session began with one. */
function withoutPasskeys(sealed: SealedState): SealedState {
  // Before version 18 there were no operators.
  const { sessions: before, operators = noOperators } = sealed.state;
  const sessions = new Map<string, Session>();
  for (const [id, session] of before) sessions.set(id, { ...session, passkeyId: null });
  const byId = new Map<string, Operator>();
  for (const [id, operator] of operators.byId) byId.set(id, { ...operator, passkeys: NO_PASSKEYS });
  return { ...sealed, state: { ...sealed.state, sessions, operators: { ...operators, byId } } };
}

/** Before sign-in by OIDC, no operator had an identity at its provider, and all were invited. */
function withIdentityOfOperators(sealed: SealedState): SealedState {
  // Absent in states of before operators.
  const operators = sealed.state.operators as HotStateData['operators'] | undefined;
  if (!operators) return sealed;
  const byId = new Map(
    Array.from(operators.byId, ([id, operator]) => [id, { ...operator, identity: null, isByRule: false }]),
  );
  return { ...sealed, state: { ...sealed.state, operators: { ...operators, byId } } };
}

/**
 * `UPCASTERS[n]` turns a state that version n of the fold has sealed into that of version n + 1. Unlike a snapshot it cannot be made
 * again: its events are gone. Steps are added, never changed (CONTRIBUTING.md, "Change the fold").
 */
const UPCASTERS: Readonly<Record<number, SealedUpcaster>> = {
  17: withOperatorsOfSessions,
  // Owners and teams begin empty.
  18: unchanged,
  19: withoutPasskeys,
  // An export changes no state.
  20: unchanged,
  21: withIdentityOfOperators,
  // No announcement was known to be late.
  22: unchanged,
  // That callers were forgotten changes no state.
  23: unchanged,
  // No code was used for authenticating again.
  24: unchanged,
  // There were no alerts.
  25: unchanged,
  // No account had a region, and no key was restricted to one.
  26: unchanged,
  // No key had come from another program; what it had used there is counted as its other use is.
  27: unchanged,
  28: unchanged,
  // Checkpoints of snapshots have sessions since; a sealed state had them already.
  29: unchanged,
};

/** Versions of the fold whose sealed states this build cannot read, because a step of `UPCASTERS` is missing. */
export const missingUpcasters = (steps = UPCASTERS, newest: number = FOLD_VERSION): number[] =>
  Array.from({ length: newest - FIRST_SEALED_VERSION }, (_, index) => FIRST_SEALED_VERSION + index).filter(
    (version) => !steps[version],
  );

/**
 * A sealed state in the form of this version of the fold.
 * @param version the version of the fold that sealed it
 * @returns undefined when a step is missing
 */
export function upcastSealedState(
  sealed: SealedState,
  version: number,
  steps = UPCASTERS,
  newest: number = FOLD_VERSION,
): SealedState | undefined {
  let state = sealed;
  for (let at = version; at < newest; at += 1) {
    const step = steps[at];
    if (!step) return undefined;
    state = step(state);
  }
  return state;
}
