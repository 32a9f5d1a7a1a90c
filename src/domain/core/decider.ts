import type { Instant } from './brands.ts';
import type { DomainEvent, Recorded } from './event.ts';

/** What a rule may need beyond state and command; the client supplies it so that rules stay pure. */
export interface Context {
  readonly now: Instant;
}

/** The triple that holds one subject's rules: what a command does, and what an event means. */
export interface Decider<State, Command, Event extends DomainEvent> {
  /** @throws Refusal with the code of the rule that said no */
  readonly decide: (command: Command, state: State, context: Context) => readonly Event[];
  readonly evolve: (state: State, event: Recorded<Event>) => State;
  readonly initialState: State;
}
