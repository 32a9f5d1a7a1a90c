import type { DomainEvent } from '../../../domain/core/event.ts';
import { Refusal } from '../../../domain/core/refusal.ts';
import type { Cause } from '../../../state/commands/commandHandler.ts';
import type { Subject } from '../../../state/fold/subjects.ts';

/** @returns the cause of the events of a refresh; the claim's id correlates them */
export const causeOf = (claimId: string): Cause => ({
  actor: { kind: 'system', reason: 'token refresh' },
  correlationId: claimId,
});

/** @returns the subject with a check that runs before each decision of a command, including those after a lost race */
export const withPrecondition = <Id, State, Command, Event extends DomainEvent>(
  subject: Subject<Id, State, Command, Event>,
  check: () => void,
): Subject<Id, State, Command, Event> => ({
  ...subject,
  decider: {
    ...subject.decider,
    decide(...args) {
      check();
      return subject.decider.decide(...args);
    },
  },
});

/** Whether a command was refused with this code. */
export const isRefusal = (error: unknown, code: Refusal['code']): error is Refusal =>
  error instanceof Refusal && error.code === code;
