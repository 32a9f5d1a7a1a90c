/** The state of a request, from its admission to its end. */
export type State =
  /** Chooses the account of the next attempt. */
  | 'choosing'
  /** All accounts cool down; a timer runs until the first one is available. */
  | 'waiting'
  /** The chosen account gets a new access token before the provider is called. */
  | 'refreshing'
  /** The request is on its way; no event of a response has arrived. */
  | 'calling'
  /** Events go to the delivery. Until that has begun, a failure leads to another attempt. */
  | 'relaying'
  /** The outcome is fixed and is written to the log; the client gets the end of its response when that is durable. */
  | 'settling'
  | 'ended';

/** An event that changes the state. */
export type Transition = 'wait' | 'refresh' | 'call' | 'firstEvent' | 'retry' | 'settle' | 'settled';

/** The next state by state and transition. `settle` and `settled` happen once: no later state allows them. */
const STATES: Readonly<Record<State, Readonly<Partial<Record<Transition, State>>>>> = {
  choosing: { wait: 'waiting', refresh: 'refreshing', call: 'calling', settle: 'settling' },
  waiting: { retry: 'choosing', settle: 'settling' },
  refreshing: { call: 'calling', retry: 'choosing', settle: 'settling' },
  calling: { firstEvent: 'relaying', refresh: 'refreshing', retry: 'choosing', settle: 'settling' },
  relaying: { refresh: 'refreshing', retry: 'choosing', settle: 'settling' },
  settling: { settled: 'ended' },
  ended: {},
};

/** @returns undefined when the transition is not possible in this state: its cause came too late and must be ignored */
export const nextState = (state: State, transition: Transition): State | undefined => STATES[state][transition];

/** The outcome of the request is fixed. */
export const isOver = (state: State): boolean => state === 'settling' || state === 'ended';
