import { z } from 'zod';
import { routingStrategySchema } from '../../../domain/settings/events.ts';

/** The fields of the settings as the API takes them. */
export const settingsInput = {
  sticky_threads_enabled: z.boolean(),
  prefer_earlier_reset_accounts: z.boolean(),
  routing_strategy: routingStrategySchema(z).nullish(),
  import_without_overwrite: z.boolean().nullish(),
  totp_required_on_login: z.boolean().nullish(),
  api_key_auth_enabled: z.boolean().nullish(),
};
