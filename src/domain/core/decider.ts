import type { Instant } from './brands.ts';
import type { DomainEvent, Recorded } from './event.ts';

/** What rules need beyond state and command, as an argument so that they stay pure. */
export interface Context {
  readonly now: Instant;
  /** The time of limit windows, which differs from `now` after a clock was wrong (`src/domain/limits/windowsClock.ts`). */
  readonly windowsNow: Instant;
}

/** The rules of one subject: which events a command produces, and how an event changes the state. */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** @throws Refusal with the code of the rule that refused */
  readonly decide: (command: Command, state: State, context: Context) => readonly Event[];
  readonly evolve: (state: State, event: Recorded<Event>) => State;
  readonly initialState: State;
}
