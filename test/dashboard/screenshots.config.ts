import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: { include: ['test/dashboard/screenshots.ts'], globalSetup: 'test/support/dashboard/built.ts', pool: 'threads' },
});
