import type { RequestErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** Errors of requests to the proxy or management. */
export const requestErrors: Readonly<Record<RequestErrorCode, ErrorEntry>> = {
  invalid_request_error: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The request is not valid'),
  },
  validation_error: { status: 422, type: 'invalid_request_error', message: 'Invalid request payload' },
  invalid_api_key: {
    status: 401,
    type: 'authentication_error',
    message: withProblem('The API key is missing or not valid. Send it as "Authorization: Bearer sk-svc-...".'),
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    message: (details) => `This API key does not have access to model '${detail(details, 'model', '')}'`,
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) =>
      `The model '${detail(details, 'model', '')}' does not exist. GET /v1/models lists the available ones.`,
  },
  insufficient_permissions: {
    status: 403,
    type: 'permission_error',
    message: withProblem('Insufficient permissions'),
  },
  ip_forbidden: {
    status: 403,
    type: 'permission_error',
    message: (details) =>
      `The address ${detail(details, 'address', 'of this client')} is not on the allowlist. An operator can add it.`,
  },
  remote_access_disabled: {
    status: 403,
    type: 'permission_error',
    message: (details) =>
      `svc serves no other machines yet, such as ${detail(details, 'address', 'that of this client')}, because nothing restricts who may use it. An operator can require API keys, add addresses to the allowlist, or set SVC_ALLOW_OPEN=true.`,
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `The path ${detail(details, 'path', 'of the request')} does not exist`,
  },
  read_only: {
    status: 403,
    type: 'permission_error',
    message: (details) => `${detail(details, 'problem', 'Nothing can be changed here.')} Only reading is possible.`,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: (details) =>
      `The method ${detail(details, 'method', 'of the request')} is not allowed for this path. Use ${detail(details, 'allowed', 'another one')}.`,
  },
  rate_limit_exceeded: {
    status: 429,
    type: 'rate_limit_error',
    message: withProblem('Rate limit exceeded'),
  },
  request_too_large: {
    status: 413,
    type: 'invalid_request_error',
    message: (details) => `The request body is larger than ${detail(details, 'limit', 'the limit')}`,
  },
  unsupported_media_type: {
    status: 400,
    type: 'invalid_request_error',
    message: withProblem('The encoding of the request is not supported'),
  },
  previous_response_not_found: {
    status: 400,
    type: 'invalid_request_error',
    message: (details) =>
      `Previous response with id '${detail(details, 'id', '')}' not found. Send the whole conversation in input, without previous_response_id.`,
  },
  upgrade_required: {
    status: 426,
    type: 'invalid_request_error',
    message: 'WebSockets are not supported here at the moment. Send the request by POST.',
  },
};
