import { describe, expect, test } from 'vitest';
import { composeService, startContainer } from './containers.ts';

test('tests run the images that docker-compose.yml pins', () => {
  expect(composeService('eventstore')?.image).toMatch(/^eventstore\/eventstore:24\.\d+\.\d+/);
  expect(composeService('mongodb')?.image).toMatch(/^mongo:\d+\.\d+\.\d+/);
  expect(composeService('nothing')).toBeUndefined();
});

const engine = await import('testcontainers').then(({ getContainerRuntimeClient }) =>
  getContainerRuntimeClient().catch(() => undefined),
);

describe.skipIf(engine)('without a container engine', () => {
  test('startContainer returns undefined', async () => {
    expect(await startContainer('eventstore', { port: 2113 })).toBeUndefined();
  });
});
