import { z } from 'zod';
import { type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { type IpAddress, parseIp } from '../../domain/firewall/ipAddress.ts';
import type { Firewall } from '../../domain/firewall/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import { readBody, wireObject } from '../http/body.ts';
import type { Capabilities } from '../http/capabilities.ts';
import { newRouter } from '../http/context.ts';
import { describeRoute } from '../http/describeRoute.ts';
import { OPERATORS, READERS } from '../http/roles.ts';

const AllowIp = wireObject({ ip_address: z.string() }, ['created_at']);

const Entry = z.object({ ip_address: z.string(), created_at: z.iso.datetime() }).meta({ id: 'FirewallEntry' });
const Allowlist = z
  .object({
    mode: z.enum(['allow_all', 'allowlist_active']),
    entries: z.array(Entry),
    caller_address: z.string().describe('The address of this client as the proxy would see it'),
  })
  .meta({ id: 'Firewall' });

const routes = {
  list: describeRoute({
    roles: READERS,
    at: 'past',
    summary: 'List the addresses that may use the proxy; an empty list allows every address',
    response: Allowlist,
  }),
  allow: describeRoute({
    roles: OPERATORS,
    summary: 'Add an address to the allowlist',
    body: AllowIp,
    response: Entry,
    errors: ['invalid_ip', 'ip_exists'],
  }),
  revoke: describeRoute({
    roles: OPERATORS,
    summary: 'Remove an address from the allowlist',
    response: z.object({ status: z.literal('deleted') }),
    errors: ['invalid_ip', 'ip_not_found'],
  }),
};

/** The addresses that may use the proxy. */
export const firewallRoutes = ({ views, commands }: Pick<Capabilities, 'views' | 'commands'>) =>
  newRouter('/api/firewall/ips')
    .get('/', routes.list, async (ctx) => ({
      ...allowlist((await views.asOf(ctx)).state.firewall),
      caller_address: ctx.state.client.address,
    }))
    .post('/', routes.allow, async (ctx) => {
      const { ip_address } = await readBody(ctx, AllowIp, 'invalid_ip');
      const command = { type: 'AllowIp', ip: ip_address } as const;
      const { state } = await commands.handle(subjects.firewall, 'main', command, ctx.state.cause);
      const ip = parseIp(ip_address) as IpAddress;
      // A repeated write may find that the address has been removed since.
      return entry([ip, state.get(ip) ?? refuse('ip_not_found', { ip })]);
    })
    .delete('/:ip', routes.revoke, async (ctx) => {
      const command = { type: 'RevokeIp', ip: ctx.params.ip ?? '' } as const;
      await commands.handle(subjects.firewall, 'main', command, ctx.state.cause);
      return { status: 'deleted' };
    })
    .routes();

export const allowlist = (firewall: Firewall) => ({
  mode: firewall.size > 0 ? 'allowlist_active' : 'allow_all',
  entries: [...firewall].map(entry),
});

const entry = ([ip, { allowedAt }]: [IpAddress, { allowedAt: Instant }]): z.infer<typeof Entry> => ({
  ip_address: ip,
  created_at: iso(allowedAt),
});
