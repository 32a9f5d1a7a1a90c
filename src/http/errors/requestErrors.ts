import type { RequestErrorCode } from '../../domain/core/errorCodes.ts';
import type { ErrorEntry } from './errorEntry.ts';
import { detail, withProblem } from './messages.ts';

/** What is wrong with a request, whoever sends it and wherever it goes. */
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
    message: withProblem('Missing or invalid API key: send it as "Authorization: Bearer sk-svc-..."'),
  },
  model_not_allowed: {
    status: 403,
    type: 'permission_error',
    message: (details) => `This API key does not have access to model '${detail(details, 'model', '')}'`,
  },
  model_not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `The model '${detail(details, 'model', '')}' does not exist`,
  },
  insufficient_permissions: { status: 403, type: 'permission_error', message: 'Insufficient permissions' },
  ip_forbidden: {
    status: 403,
    type: 'permission_error',
    message: (details) => `The address ${detail(details, 'address', 'you call from')} is not on the allowlist`,
  },
  not_found: {
    status: 404,
    type: 'invalid_request_error',
    message: (details) => `There is nothing at ${detail(details, 'path', 'this path')}`,
  },
  method_not_allowed: {
    status: 405,
    type: 'invalid_request_error',
    message: (details) =>
      `${detail(details, 'method', 'This method')} is not allowed here; use ${detail(details, 'allowed', 'another one')}`,
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
  unsupported_media_type: { status: 400, type: 'invalid_request_error', message: withProblem('Unsupported encoding') },
  upgrade_required: {
    status: 426,
    type: 'invalid_request_error',
    message: 'Websockets are not offered here; send the request with POST',
  },
};
