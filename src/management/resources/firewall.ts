import { z } from 'zod';
import { type Instant, iso } from '../../domain/core/brands.ts';
import { refuse } from '../../domain/core/refusal.ts';
import { type IpAddress, parseIp } from '../../domain/firewall/ipAddress.ts';
import type { Firewall } from '../../domain/firewall/state.ts';
import { subjects } from '../../state/fold/subjects.ts';
import type { Management } from '../app.ts';
import { atQuery, viewOf } from '../http/asOf.ts';
import { bodyOf, wireObject } from '../http/body.ts';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

const AllowIp = wireObject({ ip_address: z.string() }, ['created_at']);

const Entry = z.object({ ip_address: z.string(), created_at: z.iso.datetime() }).meta({ id: 'FirewallEntry' });
const Allowlist = z
  .object({
    mode: z.enum(['allow_all', 'allowlist_active']),
    entries: z.array(Entry),
    caller_address: z.string().describe('The address that the proxy would see if the client sent it a request'),
  })
  .meta({ id: 'Firewall' });
const Deleted = z.object({ status: z.literal('deleted') });

const list = documented({
  summary: 'Addresses that may use the proxy; none: everybody may',
  query: atQuery,
  answer: Allowlist,
});
const allow = documented({
  summary: 'Lets an address use the proxy',
  body: AllowIp,
  answer: Entry,
  refuses: ['invalid_ip', 'ip_exists'],
});
const revoke = documented({
  summary: 'Takes an address off the allowlist',
  answer: Deleted,
  refuses: ['invalid_ip', 'ip_not_found'],
});

export const firewallRoutes = (management: Management) => {
  const { handle } = management;
  return newRouter('/api/firewall/ips')
    .get('/', list, async (ctx) => ({
      ...render((await viewOf(ctx, management)).hot.state.firewall),
      caller_address: ctx.state.client.address,
    }))
    .post('/', allow, async (ctx) => {
      const { ip_address } = await bodyOf(ctx, AllowIp, 'invalid_ip');
      const { state } = await handle(subjects.firewall, 'main', { type: 'AllowIp', ip: ip_address }, ctx.state.cause);
      const ip = parseIp(ip_address) as IpAddress;
      // A repeat may come after the address was taken off again.
      return entry([ip, state.get(ip) ?? refuse('ip_not_found', { ip })]);
    })
    .delete('/:ip', revoke, async (ctx) => {
      await handle(subjects.firewall, 'main', { type: 'RevokeIp', ip: ctx.params.ip ?? '' }, ctx.state.cause);
      return { status: 'deleted' };
    })
    .routes();
};

const render = (firewall: Firewall) => ({
  mode: firewall.size > 0 ? 'allowlist_active' : 'allow_all',
  entries: [...firewall].map(entry),
});

const entry = ([ip, { allowedAt }]: [IpAddress, { allowedAt: Instant }]) => ({
  ip_address: ip,
  created_at: iso(allowedAt),
});
