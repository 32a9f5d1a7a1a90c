import { BUILT_IN_ADMINISTRATOR } from '../../domain/core/builtInAdministrator.ts';
import * as dashboardAuth from '../../domain/dashboardAuth/state.ts';
import * as operator from '../../domain/operator/state.ts';
import * as passkeyUse from '../../domain/passkeyUse/state.ts';
import * as session from '../../domain/session/state.ts';
import { TOTP_USES_PREFIX } from '../../domain/session/totpUse.ts';

/** The parts of the hot state that are about people and how they sign in. */
export interface SignInFolds {
  dashboardAuth: dashboardAuth.DashboardAuth;
  operators: operator.Operators;
  readonly sessions: session.Sessions;
  /** By the id of the operator. */
  readonly passkeyUses: Map<string, passkeyUse.PasskeyUses>;
  /** By stream. */
  readonly revisions: Map<string, number>;
}

/** Disabling or removing an operator ends its sessions. */
export function evolveOperators(folds: SignInFolds, event: Parameters<typeof operator.evolve>[1]): void {
  folds.operators = operator.evolve(folds.operators, event);
  switch (event.type) {
    case 'OperatorRemoved':
      folds.passkeyUses.delete(event.data.operatorId);
      session.endSessionsOf(folds.sessions, event.data.operatorId);
      return;
    case 'OperatorDisabled':
      session.endSessionsOf(folds.sessions, event.data.operatorId);
      return;
    case 'OperatorPasskeyAdded':
    case 'OperatorPasskeyRemoved':
      evolvePasskeyUses(folds, event);
  }
}

/** A removed operator has none: a use that arrives later is ignored. */
export function evolvePasskeyUses(folds: SignInFolds, event: Parameters<typeof passkeyUse.evolve>[1]): void {
  const { operatorId } = event.data;
  const before = folds.passkeyUses.get(operatorId);
  if (before === undefined && event.type !== 'OperatorPasskeyAdded') return;
  folds.passkeyUses.set(operatorId, passkeyUse.evolve(before ?? passkeyUse.initialState, event));
}

/** A password that is changed or removed ends the sessions of the built-in administrator. */
export function evolveBuiltInPassword(folds: SignInFolds, event: Parameters<typeof dashboardAuth.evolve>[1]): void {
  if (event.type !== 'DashboardPasswordSet') session.endSessionsOf(folds.sessions, BUILT_IN_ADMINISTRATOR);
  folds.dashboardAuth = dashboardAuth.evolve(folds.dashboardAuth, event);
  folds.operators = operator.withBuiltInPassword(folds.operators, folds.dashboardAuth.password !== null);
}

/**
 * A code of a TOTP is accepted once.
 * @param writtenTo where a command wrote the event, its stream is that of the TOTP; otherwise that of a node
 */
export function countTotpUse(
  folds: SignInFolds,
  writtenTo: { readonly stream: string; readonly revision: number },
  used: { readonly totpId: string; readonly step: number },
): void {
  const { stream, revision } = writtenTo;
  if (stream.startsWith(TOTP_USES_PREFIX)) folds.revisions.set(stream, revision);
  folds.dashboardAuth = dashboardAuth.withUsedStep(folds.dashboardAuth, used);
  folds.operators = operator.withUsedStep(folds.operators, used);
}
