import { newRouter } from './context.ts';

/** Says that the process runs, nothing about log or provider (specification, "Health"). */
export const healthRoutes = () =>
  newRouter('')
    .get('/health', () => ({ status: 'ok' }))
    .routes();
