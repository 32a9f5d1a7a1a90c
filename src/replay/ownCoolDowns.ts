import {
  type CoolDown,
  type CoolDownChange,
  type CoolDowns,
  changesIn,
  withPending,
} from '../domain/coolDown/state.ts';
import { type AccountId, instant, type Position } from '../domain/core/brands.ts';
import type { Attempt } from '../domain/request/events.ts';
import { FOLDED_COOL_DOWNS_SINCE_VERSION } from '../domain/routing/select.ts';
import type { RecordedEvent } from '../eventLog/eventLog.ts';
import type { HotState } from '../state/fold/hotState.ts';

/** The basis of a recorded choice. */
export type RecordedChoice = Pick<Attempt, 'overlay' | 'decidedAt' | 'asOf' | 'v'>;

/** The changes of cool-downs by the process that wrote them, in the order of their numbers. */
export class OwnCoolDowns {
  readonly #byProcess = new Map<string, { readonly position: Position; readonly change: CoolDownChange }[]>();

  /** Called with each event up to the one that recorded the choice. */
  add(event: RecordedEvent): void {
    if (event.type !== 'AccountsCooled' && event.type !== 'AccountRecovered') return;
    const process = processOf(event.stream);
    const changes = this.#byProcess.get(process) ?? [];
    this.#byProcess.set(process, changes);
    for (const change of changesIn(event)) {
      let at = changes.length;
      while (at > 0 && (changes[at - 1]?.change.number as number) > change.number) at -= 1;
      changes.splice(at, 0, { position: event.position, change });
    }
  }

  /** Drops changes that the fold has, in order: no choice is repeated before this position any more. */
  forgetUpTo(folded: Position): void {
    for (const [process, changes] of this.#byProcess) {
      const known = changes.findIndex(({ position }) => position > folded);
      if (known < 0) this.#byProcess.delete(process);
      else changes.splice(0, known);
    }
  }

  /** The cool-downs that counted for a choice which the process of `stream` made. */
  at(hot: HotState, { overlay, decidedAt, v }: RecordedChoice, stream: string): CoolDowns {
    if (v < FOLDED_COOL_DOWNS_SINCE_VERSION) {
      const recorded = { since: instant(0), cause: 'recorded', failures: 1 };
      return new Map<AccountId, CoolDown>(overlay?.cooling?.map(([id, until]) => [id, { ...recorded, until }]));
    }
    if (overlay?.coolDowns === undefined) return hot.coolDowns;
    return withPending(hot.coolDowns, this.#pendingAt(decidedAt, overlay.coolDowns, stream));
  }

  /** @returns the last change of each account up to `number`, unless the log had it at `decidedAt` */
  #pendingAt(decidedAt: Position, number: number, stream: string): Map<AccountId, CoolDownChange> {
    const pending = new Map<AccountId, CoolDownChange>();
    for (const { position, change } of this.#byProcess.get(processOf(stream)) ?? []) {
      if (change.number > number) break;
      if (position > decidedAt) pending.set(change.accountId, change);
      else pending.delete(change.accountId);
    }
    return pending;
  }
}

/** The name of a process's stream without its day, and without the number of a stream that replaced another one. */
export const processOf = (stream: string): string => stream.replace(/_\d{8}(_\d+)?$/, '');
