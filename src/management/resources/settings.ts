import { z } from 'zod';
import { type Settings as Fields, routingStrategySchema } from '../../domain/settings/events.ts';
import type { SettingsState } from '../../domain/settings/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { ADMINISTRATORS, READERS } from '../http/roles.ts';
import { settingsInput } from './settings/settingsInput.ts';

const ChangeSettings = wireObject(settingsInput, ['totp_configured']);

const Settings = z
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

const routes = {
  get: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'Get the settings of routing, import and authentication',
    response: Settings,
  }),
  change: describeRoute({
    roles: ADMINISTRATORS,
    summary: 'Change settings; omitted fields stay unchanged',
    body: ChangeSettings,
    response: Settings,
    errors: ['validation_error', 'invalid_totp_config'],
  }),
};

/** Settings of routing, import and authentication. */
export const settingsRoutes = ({ views, commands }: Pick<Capabilities, 'views' | 'commands'>) =>
  newRouter('/api/settings')
    .get('/', routes.get, async (ctx) => settings((await views.asOf(ctx)).state.settings))
    .put('/', routes.change, async (ctx) => {
      const body = await readBody(ctx, ChangeSettings, 'validation_error');
      const to: { [Name in keyof Fields]: Fields[Name] | undefined } = {
        stickyThreadsEnabled: body.sticky_threads_enabled,
        preferEarlierResetAccounts: body.prefer_earlier_reset_accounts,
        routingStrategy: body.routing_strategy ?? undefined,
        importWithoutOverwrite: body.import_without_overwrite ?? undefined,
        totpRequiredOnLogin: body.totp_required_on_login ?? undefined,
        apiKeyAuthEnabled: body.api_key_auth_enabled ?? undefined,
      };
      const command = { type: 'ChangeSettings', to } as const;
      const { state } = await commands.handle(subjects.settings, 'main', command, ctx.state.cause);
      return settings(state);
    })
    .routes();

export const settings = (state: SettingsState): z.infer<typeof Settings> => ({
  sticky_threads_enabled: state.stickyThreadsEnabled,
  prefer_earlier_reset_accounts: state.preferEarlierResetAccounts,
  routing_strategy: state.routingStrategy,
  import_without_overwrite: state.importWithoutOverwrite,
  totp_required_on_login: state.totpRequiredOnLogin,
  totp_configured: state.isTotpConfigured,
  api_key_auth_enabled: state.apiKeyAuthEnabled,
});
