import type { ServiceErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { withProblem } from './messages.ts';

/** Errors of the service or the provider. */
export const serviceErrors: Readonly<Record<ServiceErrorCode, ErrorEntry>> = {
  server_error: { status: 500, type: 'server_error', message: 'Internal server error' },
  internal_error: { status: 500, type: 'server_error', message: 'Unexpected error' },
  not_implemented: { status: 501, type: 'server_error', message: 'Not implemented' },
  upstream_error: { status: 502, type: 'server_error', message: withProblem('Upstream error') },
  no_accounts: {
    status: 503,
    type: 'server_error',
    message: withProblem('No account is available. Import one, or reactivate a paused or deactivated one.'),
  },
  no_account_in_region: {
    status: 503,
    type: 'server_error',
    message: ({ regions }) =>
      `This API key may only be served in ${regions ?? 'certain regions'}, and no account is there. Use another key, or ask the operator to add an account of that region.`,
  },
  log_unavailable: {
    status: 503,
    type: 'server_error',
    message: ({ isUncertain, isCommitted }) =>
      isCommitted
        ? 'The change was saved, but this node does not show it yet. Do not repeat it; check again in a moment.'
        : isUncertain
          ? 'The event log did not respond in time, so the change may have been saved. Check before you repeat it, or repeat it with the same Idempotency-Key.'
          : 'The event log does not accept writes, so nothing was changed. Retry later; the output of the service names the cause.',
  },
  outbox_full: {
    status: 503,
    type: 'server_error',
    message:
      'The event store has been unreachable for so long that this node cannot buffer more events. Retry when it is back; see docs/operation.md, "The outbox fills".',
  },
  sink_unavailable: {
    status: 503,
    type: 'server_error',
    message:
      'A place that must get every event does not take them, so nothing may begin before it does. Retry shortly; the operator finds the cause in the output of the service.',
  },
  overloaded: {
    status: 503,
    type: 'server_error',
    message: 'The server is at its memory limit. Retry shortly.',
  },
  out_of_file_descriptors: {
    status: 503,
    type: 'server_error',
    message:
      'The server has no file descriptors left for another connection. Retry shortly; the operator can raise the limit (see docs/operation.md, "File descriptors").',
  },
  read_models_unavailable: {
    status: 503,
    type: 'server_error',
    message:
      'Request log, usage and history are unavailable. No data is lost, and they catch up by themselves. Retry later; the output of the service names the cause.',
  },
  proof_unavailable: {
    status: 503,
    type: 'server_error',
    message: withProblem(
      'The tree over the event log, or a checkpoint of it, is not available. Retry shortly; GET /api/integrity says more.',
    ),
  },
  shutting_down: {
    status: 503,
    type: 'server_error',
    message: 'The service is shutting down. Retry shortly.',
  },
};
