import type { WhatIfReport } from './report.ts';
import type { WhatIf } from './whatIf.ts';

export interface Assumptions {
  readonly whatIf: WhatIf;
  /** Requests whose account the recording did not ask. */
  readonly answers: number;
  /** Requests whose tokens are those that their admission reserved. */
  readonly estimates: number;
  /** Requests whose tokens are not known at all. */
  readonly unknown: number;
  /** Requests whose conversation was not recorded. */
  readonly withoutConversation: number;
  /** Refusals of which the log has only the number. */
  readonly countedOnly: number;
  readonly notSimulated: number;
  /** Whether the log tells what a token costs of a window. */
  readonly isCalibrated: boolean;
}

/** What a simulation cannot know, and what it assumes instead. */
export function notKnown({
  whatIf,
  answers,
  estimates,
  unknown,
  withoutConversation,
  countedOnly,
  notSimulated,
  isCalibrated,
}: Assumptions): WhatIfReport['not_known'] {
  const movesUsage = isMoving(whatIf);
  const all: (WhatIfReport['not_known'][number] | false)[] = [
    answers > 0 && {
      code: 'answers',
      requests: answers,
      text: 'What the provider would have answered on an account that the recording did not ask is not known. These requests are taken to end as the recording did, with the same tokens and duration, or to succeed where another account had failed or none was called.',
    },
    estimates > 0 && {
      code: 'estimated_usage',
      requests: estimates,
      text: 'These requests were refused or failed and are served in the simulation: their tokens are those that svc had estimated for them.',
    },
    unknown > 0 && {
      code: 'unknown_usage',
      requests: unknown,
      text: 'These requests were refused or failed, are served in the simulation, and nothing is known of their tokens: they count with none.',
    },
    countedOnly > 0 && {
      code: 'counted_only',
      requests: countedOnly,
      text: 'Of these refusals the log has only the number: they are not simulated and not in the figures.',
    },
    notSimulated > 0 && {
      code: 'not_simulated',
      requests: notSimulated,
      text: 'These requests were decided before the first state that can be made again: they stay as recorded and are not in the figures.',
    },
    withoutConversation > 0 && {
      code: 'conversations',
      requests: withoutConversation,
      text: 'The conversation of these requests was not recorded, because they were refused, named none, or sticky threads were off: no account is preferred for them.',
    },
    (whatIf.ineffectiveSettings?.length ?? 0) > 0 && {
      code: 'settings_without_effect',
      requests: null,
      text: `These settings change no recorded decision and are ignored: ${whatIf.ineffectiveSettings?.join(', ')}.`,
    },
    movesUsage && {
      code: 'account_usage',
      requests: null,
      text: isCalibrated
        ? 'How much of its window an account would have used is calculated: what the account reported, and for requests that move to or from it the credits that a token cost so far on all accounts.'
        : 'The log does not tell how much of a window a token uses: accounts keep the usage that they reported, and added ones keep what they begin with.',
    },
    movesUsage && {
      code: 'cool_downs',
      requests: null,
      text: 'An account that failed in the recording is left out in the simulation for the same time.',
    },
    {
      code: 'clients',
      requests: null,
      text: 'Clients are taken to send the same requests at the same times, whatever they were answered: without retries that an answer would have caused or saved. Limits stop no stream in the simulation.',
    },
  ];
  return all.filter((entry) => entry !== false);
}

const isMoving = ({ settings, limits, withoutAccounts = [], plusAccounts = [] }: WhatIf): boolean =>
  settings !== undefined || limits !== undefined || withoutAccounts.length > 0 || plusAccounts.length > 0;
