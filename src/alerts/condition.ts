import type { Alert } from '../domain/alert/state.ts';

/** Something that a rule finds wrong now. */
export type Condition = Pick<Alert, 'rule' | 'key' | 'subject' | 'node' | 'text'>;
