import { expect, test } from 'vitest';
import { newRouter } from './context.ts';
import { describeRoute } from './describeRoute.ts';
import { EVERYONE } from './roles.ts';

const described = { summary: 'Does something', response: 'noContent' } as const;

/** `npm run typecheck` fails when one of these compiles. */
test('a route without roles, and a GET that says nothing of its past, do not compile', () => {
  const router = newRouter('/api/things');
  const routes = [
    // @ts-expect-error No roles.
    () => describeRoute({ ...described }),
    // @ts-expect-error An empty set of roles.
    () => describeRoute({ ...described, roles: [] }),
    // @ts-expect-error A role that does not exist.
    () => describeRoute({ ...described, roles: ['root'] }),
    // @ts-expect-error No description at all.
    () => router.post('/', (ctx) => ctx.state.principal),
    // @ts-expect-error A GET without `at`.
    () => router.get('/', describeRoute({ ...described, roles: EVERYONE })),
  ];
  expect(routes).toHaveLength(5);
});
