import { z } from 'zod';
import { onDuplicateSchema } from '../../domain/accountLink/events.ts';
import { wireObject } from '../http/body.ts';

const MAX_URL = 8_192;
const flowId = z.string().max(64);

/** Fields as in provider-and-predecessor.md 3.1; `on_duplicate` is our addition and means what it means for an import. */
export const StartBody = wireObject({
  forceMethod: z.enum(['browser', 'device']).optional(),
  /** The account to be signed in anew. */
  accountId: z.string().min(1).max(512).optional(),
  on_duplicate: onDuplicateSchema(z).optional(),
});

export const CompleteBody = wireObject({
  flowId: flowId.optional(),
  deviceAuthId: z.string().max(MAX_URL).optional(),
  userCode: z.string().max(64).optional(),
});

export const ManualCallbackBody = wireObject({
  callbackUrl: z.string().min(1).max(MAX_URL),
  flowId: flowId.optional(),
});

export const flowQuery = { flowId: flowId.optional() };

export const CancelBody = wireObject({ flowId: flowId.optional() });

/** What the operator needs to sign in; fields of the other method are null. */
export const Started = z
  .object({
    flowId: z.string(),
    method: z.enum(['browser', 'device']),
    authorizationUrl: z.string().nullable(),
    callbackUrl: z.string().nullable(),
    verificationUrl: z.string().nullable(),
    userCode: z.string().nullable(),
    deviceAuthId: z.string().nullable(),
    intervalSeconds: z.number().nullable(),
    expiresInSeconds: z.int(),
    callback_problem: z
      .string()
      .nullable()
      .describe('Why nobody listens for the browser here, and what to do: paste the address it ends at instead'),
  })
  .meta({ id: 'OAuthStart' });

/** How a sign-in stands; before the first one it reads as pending, with null in the place of everything else. */
export const FlowStatus = z
  .object({
    status: z.enum(['pending', 'success', 'error']),
    errorMessage: z.string().nullable(),
    error_code: z.string().nullable(),
    flowId: z.string().nullable(),
    method: z.enum(['browser', 'device']).nullable(),
    account_id: z.string().nullable().describe('The account that was linked; until then the one to be signed in anew'),
    outcome: z.enum(['imported', 'replaced', 'skipped']).nullable(),
    expires_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OAuthStatus' });
