import { z } from 'zod';
import { routingStrategySchema } from '../../domain/settings/events.ts';
import type { SettingsState } from '../../domain/settings/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Management } from '../app.ts';
import { atQuery, viewOf } from '../http/asOf.ts';
import { bodyOf, wireObject } from '../http/body.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

const ChangeSettings = wireObject(
  {
    sticky_threads_enabled: z.boolean(),
    prefer_earlier_reset_accounts: z.boolean(),
    routing_strategy: routingStrategySchema(z).nullish(),
    import_without_overwrite: z.boolean().nullish(),
    totp_required_on_login: z.boolean().nullish(),
    api_key_auth_enabled: z.boolean().nullish(),
  },
  ['totp_configured'],
);

const SettingsAnswer = z
  .object({
    sticky_threads_enabled: z.boolean(),
    prefer_earlier_reset_accounts: z.boolean(),
    routing_strategy: routingStrategySchema(z),
    import_without_overwrite: z.boolean(),
    totp_required_on_login: z.boolean(),
    totp_configured: z.boolean(),
    api_key_auth_enabled: z.boolean(),
  })
  .meta({ id: 'Settings' });

const show = documented({
  summary: 'How requests are routed and who may send them',
  query: atQuery,
  answer: SettingsAnswer,
});
const change = documented({
  summary: 'Changes settings; what is left out stays as it is',
  body: ChangeSettings,
  answer: SettingsAnswer,
  refuses: ['validation_error', 'invalid_totp_config'],
});

export const settingsRoutes = (management: Management) => {
  const { handle } = management;
  return newRouter('/api/settings')
    .get('/', show, async (ctx) => render((await viewOf(ctx, management)).hot.state.settings))
    .put('/', change, async (ctx) => {
      const body = await bodyOf(ctx, ChangeSettings, 'validation_error');
      const to = {
        stickyThreadsEnabled: body.sticky_threads_enabled,
        preferEarlierResetAccounts: body.prefer_earlier_reset_accounts,
        routingStrategy: body.routing_strategy ?? undefined,
        importWithoutOverwrite: body.import_without_overwrite ?? undefined,
        totpRequiredOnLogin: body.totp_required_on_login ?? undefined,
        apiKeyAuthEnabled: body.api_key_auth_enabled ?? undefined,
      };
      const { state } = await handle(subjects.settings, 'main', { type: 'ChangeSettings', to }, ctx.state.cause);
      return render(state);
    })
    .routes();
};

const render = (settings: SettingsState) => ({
  sticky_threads_enabled: settings.stickyThreadsEnabled,
  prefer_earlier_reset_accounts: settings.preferEarlierResetAccounts,
  routing_strategy: settings.routingStrategy,
  import_without_overwrite: settings.importWithoutOverwrite,
  totp_required_on_login: settings.totpRequiredOnLogin,
  totp_configured: settings.isTotpConfigured,
  api_key_auth_enabled: settings.apiKeyAuthEnabled,
});
