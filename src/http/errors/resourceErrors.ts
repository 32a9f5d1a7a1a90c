import type { ResourceErrorCode } from '../../domain/core/errorCodes.ts';
import { describeImported } from '../../domain/moving/events.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** Errors of resources: API keys, accounts, account links, the firewall, settings, sessions. */
export const resourceErrors: Readonly<Record<ResourceErrorCode, ErrorEntry>> = {
  invalid_api_key_payload: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The settings of the API key are not valid'),
  },
  api_key_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no API key ${detail(details, 'keyId', 'with this id')}`,
    wireCode: 'not_found',
  },
  team_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no team ${detail(details, 'teamId', 'with this id')}`,
  },
  team_not_empty: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `Team "${detail(details, 'name', '')}" has ${detail(details, 'keys', 'some')} API keys. Move them to another team or delete them first.`,
  },
  invalid_team: { status: 400, type: 'invalid_request_error', message: withProblem('The team is not valid') },
  owner_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `No API key and no limit has the owner ${detail(details, 'owner', 'of this name')}`,
  },
  invalid_owner: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The limits of the owner are not valid'),
  },
  account_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no account ${detail(details, 'accountId', 'with this id')}`,
  },
  invalid_auth_json: { status: 400, type: 'invalid_request_error', message: withProblem('The auth file is not valid') },
  duplicate_identity_conflict: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `Account ${detail(details, 'accountId', '')} already exists. To replace its tokens, import it with ?on_duplicate=replace. To skip existing accounts, turn on import_without_overwrite.`,
  },
  oauth_flow_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `There is no sign-in ${detail(details, 'flowId', 'in progress')}. Start one by POST /api/oauth/start.`,
  },
  device_auth_unavailable: {
    status: 502,
    type: 'server_error',
    message: 'The provider does not offer sign-in by device code to this client. Sign in by browser instead.',
  },
  device_auth_failed: {
    status: 502,
    type: 'server_error',
    message: (details) =>
      `The provider issued no device code (${detail(details, 'reason', 'no reason given')}). Try again, or sign in by browser.`,
  },
  invalid_ip: {
    status: 400,
    type: 'invalid_request_error',
    message: (details) =>
      details.problem === undefined
        ? `'${detail(details, 'given', '')}' is not an IPv4 or IPv6 address`
        : withProblem('')(details),
  },
  ip_exists: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) => `${detail(details, 'ip', 'The address')} is already on the allowlist`,
  },
  ip_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `${detail(details, 'ip', 'The address')} is not on the allowlist`,
  },
  invalid_totp_config: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Two-factor authentication must be set up before it can be required',
  },
  idempotency_key_reused: {
    status: 422,
    type: 'invalid_request_error',
    message: 'This Idempotency-Key was used for a different write. Use a new key for each write.',
  },
  change_refused: {
    status: 422,
    type: 'invalid_request_error',
    message: (details) =>
      `The event log can't keep this change: ${detail(details, 'reason', 'no reason given')}. Nothing was changed, and a repeat will be refused too.`,
  },
  session_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no session ${detail(details, 'sessionId', 'with this id')}`,
  },
  too_many_live_streams: {
    status: 429,
    type: 'rate_limit_error',
    message: 'This session has too many live connections. Close some of them.',
  },
  request_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `The log has no request ${detail(details, 'requestId', 'with this id')} that has ended. Of refusals beyond the first ones of a minute, svc records only their number.`,
  },
  request_imported: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      describeImported(detail(details, 'requestId', 'with this id'), detail(details, 'program', 'another program')),
  },
  job_running: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `Job ${detail(details, 'jobId', '')} (${detail(details, 'kind', 'another kind')}) is running, and a node runs one at a time. Wait for its end, or cancel it with DELETE /api/jobs/{id}.`,
  },
  job_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `This node knows no job ${detail(details, 'jobId', 'with this id')}. It remembers the last ones that it ran since its start.`,
  },
  checkpoint_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: 'No checkpoint has been signed yet. The first one is signed within a minute of the first event.',
  },
  tile_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message:
      'The tree has no such tile, or none that is so wide yet. GET /api/log/checkpoint gives the size of the tree; paths are those of c2sp.org/tlog-tiles.',
  },
  receipt_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `There is no receipt for ${detail(details, 'name', 'this request')}: no such request or event is in the log, or another API key made it.`,
  },
  evidence_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message:
      'This node has no such bundle. It keeps the last ones that it made for an hour, until it stops. Make it again with POST /api/evidence, or with "svc evidence".',
  },
  invalid_webhook: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The webhook is not valid'),
  },
  webhook_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no webhook ${detail(details, 'webhookId', 'with this id')}, or it was removed.`,
  },
  invalid_hold: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The hold is not valid'),
  },
  hold_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is no hold ${detail(details, 'holdId', 'with this id')}, or it was lifted.`,
  },
  archived: {
    status: 410,
    type: 'invalid_request_error',
    message: (details) =>
      `The events there are archived in ${detail(details, 'file', 'a file')}. To read them, restore the requests of ${detail(details, 'day', 'that day')} with "svc restore-archive".`,
  },
  clock_differs: {
    status: 409,
    type: 'invalid_request_error',
    message: (details) =>
      `The clock of this node was not accepted: most other nodes have another time (${detail(details, 'others', 'no details')}). If this clock is wrong, limits that are used up would open. Synchronise the clocks; if this one is right, repeat with ?force=true.`,
  },
  conflict: {
    status: 409,
    type: 'invalid_request_error',
    message:
      'This was changed by another request at the same time. Check the current state and repeat your change if it still applies.',
  },
};
