import { z } from 'zod';
import { newRouter } from '../http/context.ts';
import { documented } from '../http/describeRoute.ts';

const Health = z.object({ status: z.literal('ok') });

/** Says that the process runs, nothing about log or provider (specification, "Health"). */
export const healthRoutes = () =>
  newRouter('')
    .get('/health', documented({ summary: 'Whether the application runs', answer: Health }), () => ({ status: 'ok' }))
    .routes();
