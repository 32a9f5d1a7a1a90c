import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../../', import.meta.url)),
  test: {
    include: ['test/e2e/**/*.e2e.test.ts'],
    pool: 'forks',
    // A stage is four processes beside its worker: more than two files at a time only make one another late.
    maxWorkers: 2,
    // As in vitest.config.ts.
    retry: process.env.CI === 'true' ? 1 : 0,
    // Above every bound in test/e2e/support, so that it is the bound which says what hung.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
});
