import type { ServiceErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { withProblem } from './messages.ts';

/** What the service cannot do at the moment, or the provider behind it. */
export const serviceErrors: Readonly<Record<ServiceErrorCode, ErrorEntry>> = {
  server_error: { status: 500, type: 'server_error', message: 'Internal server error' },
  internal_error: { status: 500, type: 'server_error', message: 'Unexpected error' },
  not_implemented: { status: 501, type: 'server_error', message: 'Not implemented' },
  upstream_error: { status: 502, type: 'server_error', message: withProblem('Upstream error') },
  no_accounts: {
    status: 503,
    type: 'server_error',
    message: withProblem('No account is available: import one, or reactivate one that is paused or deactivated'),
  },
  log_unavailable: {
    status: 503,
    type: 'server_error',
    message: ({ isUncertain, isCommitted }) =>
      isCommitted
        ? 'The change was made and is safe, but this node does not show it yet; do not repeat it, look again in a moment'
        : isUncertain
          ? 'The event log did not answer in time, so the change may have been made: look before you repeat it, or repeat it with the same Idempotency-Key'
          : 'The event log takes no writes at the moment; nothing was changed. See the log of the service',
  },
  outbox_full: {
    status: 503,
    type: 'server_error',
    message:
      'The store of events has been away for so long that this node can keep no more for it. See docs/operation.md, "The outbox fills"',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The requests under way hold all memory that there is for requests; send this one again in a moment',
  },
  read_models_unavailable: {
    status: 503,
    type: 'server_error',
    message:
      'Request log, usage and history cannot be read at the moment; nothing is lost, and they catch up by themselves. See the log of the service',
  },
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is shutting down; send the request again in a moment',
  },
};
