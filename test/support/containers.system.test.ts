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

describe.skipIf(engine)('where no container engine answers', () => {
  test('there is none, and nobody waits for it', async () => {
    expect(await startContainer('eventstore', { port: 2113 })).toBeUndefined();
  });
});
