import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{src,projections,test,dashboard/src}/**/*.{unit,int}.test.ts'],
    globalSetup: 'test/support/dashboard/built.ts',
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
