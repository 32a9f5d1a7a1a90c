import { type Fragmentation, type ResponseScript, stepsOf } from './responseScript.ts';

/** `fragmented-bytes`: the same response, split and framed differently on the wire. */
export const fragmented = (script: ResponseScript, fragmentation: Fragmentation): ResponseScript => ({
  ...script,
  name: `${script.name} fragmented`,
  fragmentation: { ...script.fragmentation, ...fragmentation },
});

/** Starts a script after a delay. */
export const delayed = (delayMs: number, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} delayed`,
  *steps(context) {
    yield { waitMs: delayMs };
    yield* stepsOf(script, context);
  },
});

/** Starts a script when a promise has resolved. */
export const delayedUntil = (promise: Promise<unknown>, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} delayed`,
  *steps(context) {
    yield { until: promise };
    yield* stepsOf(script, context);
  },
});

/** Starts a script for the first `count` requests together, so that none of them has ended before the last one came. */
export function startingTogether(count: number, script: ResponseScript): ResponseScript {
  const all = Promise.withResolvers<void>();
  let missing = count;
  return {
    ...script,
    name: `${script.name} to ${count} together`,
    *steps(context) {
      if (--missing === 0) all.resolve();
      yield { until: all.promise };
      yield* stepsOf(script, context);
    },
  };
}

/** Sends the last event of a script when a promise has resolved, and thus never in one read with earlier events. */
export const endDelayedUntil = (promise: Promise<unknown>, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} with a delayed end`,
  *steps(context) {
    const steps = [...stepsOf(script, context)];
    const last = steps.findLastIndex((step) => 'event' in step);
    yield* steps.slice(0, last);
    yield { until: promise };
    yield* steps.slice(last);
  },
});

/** Adds what a relay must ignore: a comment, `codex.rate_limits` and a keepalive after `response.created`. */
export const withVendorEvents = (script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} with vendor events`,
  *steps(context) {
    let areSent = false;
    for (const step of stepsOf(script, context)) {
      yield step;
      if (areSent || !('event' in step)) continue;
      areSent = true;
      yield { bytes: ': a comment\n\n' };
      yield {
        event: {
          type: 'codex.rate_limits',
          plan_type: context.account.plan,
          rate_limits: {
            primary: { used_percent: 12, window_minutes: 300, reset_at: Math.floor(context.now / 1000) + 60 },
          },
        },
      };
      yield { event: { type: 'keepalive' } };
    }
  },
});
