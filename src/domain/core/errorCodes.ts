/** Every error code of the API (docs/errors.md); `src/http/errors/errors.ts` gives each its status and message. */
export type ErrorCode = RequestErrorCode | ServiceErrorCode | SignInErrorCode | ResourceErrorCode;

export type RequestErrorCode =
  | 'invalid_request_error'
  | 'validation_error'
  | 'invalid_api_key'
  | 'model_not_allowed'
  | 'model_not_found'
  | 'insufficient_permissions'
  | 'ip_forbidden'
  | 'remote_access_disabled'
  | 'not_found'
  | 'method_not_allowed'
  | 'rate_limit_exceeded'
  | 'request_too_large'
  | 'unsupported_media_type'
  | 'upgrade_required';

export type ServiceErrorCode =
  | 'server_error'
  | 'internal_error'
  | 'not_implemented'
  | 'upstream_error'
  | 'no_accounts'
  | 'log_unavailable'
  | 'outbox_full'
  | 'overloaded'
  | 'out_of_file_descriptors'
  | 'read_models_unavailable'
  | 'proof_unavailable'
  | 'shutting_down';

export type SignInErrorCode =
  | 'authentication_required'
  | 'unauthorized'
  | 'invalid_credentials'
  | 'totp_required'
  | 'totp_invalid_code'
  | 'password_already_configured'
  | 'password_not_configured'
  | 'totp_already_configured'
  | 'totp_not_configured'
  | 'cross_origin';

export type ResourceErrorCode =
  | 'invalid_api_key_payload'
  | 'api_key_not_found'
  | 'account_not_found'
  | 'invalid_auth_json'
  | 'duplicate_identity_conflict'
  | 'oauth_flow_not_found'
  | 'device_auth_unavailable'
  | 'device_auth_failed'
  | 'invalid_ip'
  | 'ip_exists'
  | 'ip_not_found'
  | 'invalid_totp_config'
  | 'idempotency_key_reused'
  | 'request_not_found'
  | 'change_refused'
  | 'session_not_found'
  | 'too_many_live_streams'
  | 'job_running'
  | 'job_not_found'
  | 'invalid_hold'
  | 'hold_not_found'
  | 'checkpoint_not_found'
  | 'tile_not_found'
  | 'receipt_not_found'
  | 'evidence_not_found'
  | 'archived'
  | 'conflict';
