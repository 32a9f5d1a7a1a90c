import type { ClientRequest, ClientResponse } from '../../http/client/clientRequest.ts';
import type { ResponseHead } from '../relay/responseHead.ts';
import { sendJson } from '../relay/sendJson.ts';
import type { CodexStartRoute } from '../routes/routes.ts';

/** "Any backend": Codex then takes the origin of its own `chatgpt_base_url`, which must be HTTPS. */
const NO_CONSTRAINT = 'NO_CONSTRAINT';

/** Ids are UUIDs; the bound keeps the response from being a mirror for text of any kind. */
const ACCOUNT_ID = /^[\w.:-]{1,128}$/;

/**
 * Names the workspace that the client's own sign-in names, and no account of the pool: Codex sends no model request before it
 * has found that workspace in the response (docs/clients.md#codex-binds-a-workspace-to-an-https-origin).
 */
export function sendWorkspaces(
  { headers }: Pick<ClientRequest, 'headers'>,
  response: ClientResponse,
  { hasOrigin = false }: Pick<CodexStartRoute, 'hasOrigin'>,
  head: ResponseHead,
): void {
  const id = headers['chatgpt-account-id'];
  const workspace = {
    id,
    workspace_backend_origin: (hasOrigin && originOf(headers.host)) || NO_CONSTRAINT,
    account_routing_override: NO_CONSTRAINT,
  };
  const accounts = typeof id === 'string' && ACCOUNT_ID.test(id) ? [workspace] : [];
  sendJson(response, 200, { accounts }, head);
}

/** Says that the workspace has no policies: Codex does not start for a business workspace without a response. */
export function sendPolicies(response: ClientResponse, head: ResponseHead): void {
  sendJson(response, 200, {}, head);
}

/**
 * The HTTPS origin of the host that the client called. Codex refuses any other origin, and does not use it when its requests go to
 * `/backend-api/svc`, so it need not be served.
 */
function originOf(host: string | undefined): string | undefined {
  const origin = URL.parse(`https://${host ?? ''}`);
  const isOrigin = origin && origin.href === `${origin.origin}/`;
  return isOrigin ? origin.origin : undefined;
}
