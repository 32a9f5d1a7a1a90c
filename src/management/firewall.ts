import { z } from 'zod';
import { type Instant, iso } from '../domain/brands.ts';
import { type IpAddress, parseIp } from '../domain/firewall/ipAddress.ts';
import type { Firewall } from '../domain/firewall/state.ts';
import { subjects } from '../projecting/subjects.ts';
import { bodyOf, wireObject } from './body.ts';
import { newRouter } from './context.ts';
import type { Management } from './management.ts';

const AllowIp = wireObject({ ip_address: z.string() }, ['created_at']);

export const firewallRoutes = ({ hot, handle }: Management) =>
  newRouter('/api/firewall/ips')
    .get('/', () => render(hot.state.firewall))
    .post('/', async (ctx) => {
      const { ip_address } = await bodyOf(ctx, AllowIp, 'invalid_ip');
      const { state } = await handle(subjects.firewall, 'main', { type: 'AllowIp', ip: ip_address }, ctx.state.cause);
      const ip = parseIp(ip_address) as IpAddress;
      return entry([ip, state.get(ip) as { allowedAt: Instant }]);
    })
    .delete('/:ip', async (ctx) => {
      await handle(subjects.firewall, 'main', { type: 'RevokeIp', ip: ctx.params.ip ?? '' }, ctx.state.cause);
      return { status: 'deleted' };
    })
    .routes();

const render = (firewall: Firewall) => ({
  mode: firewall.size > 0 ? 'allowlist_active' : 'allow_all',
  entries: [...firewall].map(entry),
});

const entry = ([ip, { allowedAt }]: [IpAddress, { allowedAt: Instant }]) => ({
  ip_address: ip,
  created_at: iso(allowedAt),
});
