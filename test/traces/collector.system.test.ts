import { spawnSync } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { buildGoProgram } from '../support/buildGoProgram.ts';
import { startGateway } from '../support/gateway.ts';
import { spansIn, startOtlpReceiver } from '../support/otlp/receiver.ts';
import { serverError } from '../support/provider/scripts.ts';

const reader = buildGoProgram(new URL('../support/otlp/', import.meta.url));

/** What the collector's own code reads in the body of a post, as OTLP's JSON. */
function read(contentType: string, body: Buffer): string {
  const { status, stdout, stderr } = spawnSync('path' in reader ? reader.path : '', [contentType], {
    input: body,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

describe.skipIf('missing' in reader)("the collector's own reader", () => {
  test.each([
    ['http/protobuf', 'application/x-protobuf'],
    ['http/json', 'application/json'],
  ])('reads what svc posts as %s, down to the last span before the stop', async (protocol, contentType) => {
    const receiver = await startOtlpReceiver();
    onTestFinished(receiver.close);
    const gateway = await startGateway({
      accounts: 2,
      env: {
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${receiver.url}/take`,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      },
    });
    onTestFinished(() => gateway.stop());
    gateway.pool[0]?.at.next(serverError({ status: 500, body: 'json' }));
    await (await gateway.ask()).text();
    // Before the batch is due.
    await gateway.stopService();

    expect(receiver.posts.map(({ path, headers }) => [path, headers['content-type']])).toEqual([
      ['/take', contentType],
    ]);
    const spans = receiver.posts.flatMap(({ body }) => spansIn(read(contentType, body)));
    const [failed, served, root] = spans;
    expect(spans).toHaveLength(3);
    expect(root).toMatchObject({
      name: 'POST /backend-api/svc/responses',
      kind: 2,
      parentSpanId: '',
      service: { 'service.name': 'svc', 'deployment.environment.name': 'test' },
    });
    const { data } = gateway.events('RequestCompleted').at(-1) ?? {};
    expect(data?.trace).toEqual({ traceId: root?.traceId, parentId: root?.spanId });
    for (const [index, span] of [failed, served].entries())
      expect(span).toMatchObject({
        traceId: root?.traceId,
        parentSpanId: root?.spanId,
        kind: 3,
        startMs: data?.attempts[index]?.startedAt,
        endMs: data?.attempts[index]?.endedAt,
        attributes: { 'svc.attempt.number': index + 1, 'svc.account.id': data?.attempts[index]?.accountId },
      });
  });

  test('refuses what is no export request, so that the test above can fail', () => {
    expect(() => read('application/x-protobuf', Buffer.from('{"resourceSpans":[]}'))).toThrow();
    expect(() => read('application/json', Buffer.from('{"resourceSpans":[{]}'))).toThrow();
  });
});
