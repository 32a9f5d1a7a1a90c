import { type ResponseScript, stepsOf, type Wire } from './responseScript.ts';

/** `fragmented-bytes`: the same response, cut and framed differently on the wire. */
export const chunked = (script: ResponseScript, wire: Wire): ResponseScript => ({
  ...script,
  name: `${script.name} chunked`,
  wire: { ...script.wire, ...wire },
});

/** Any script, later. */
export const delayed = (delayMs: number, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} delayed`,
  *steps(asked) {
    yield { waitMs: delayMs };
    yield* stepsOf(script, asked);
  },
});

/** Any script, once something has happened. */
export const after = (happened: Promise<unknown>, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} held back`,
  *steps(asked) {
    yield { until: happened };
    yield* stepsOf(script, asked);
  },
});

/** Any script whose last event comes once something has happened, and so in no read together with those before it. */
export const endsOnce = (happened: Promise<unknown>, script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} held back before its end`,
  *steps(asked) {
    const steps = [...stepsOf(script, asked)];
    const last = steps.findLastIndex((step) => 'event' in step);
    yield* steps.slice(0, last);
    yield { until: happened };
    yield* steps.slice(last);
  },
});

/** Vendor noise that a relay must cope with: a comment, `codex.rate_limits` and a keepalive after `response.created`. */
export const withVendorEvents = (script: ResponseScript): ResponseScript => ({
  ...script,
  name: `${script.name} with vendor events`,
  *steps(asked) {
    let told = false;
    for (const step of stepsOf(script, asked)) {
      yield step;
      if (told || !('event' in step)) continue;
      told = true;
      yield { bytes: ': a comment\n\n' };
      yield {
        event: {
          type: 'codex.rate_limits',
          plan_type: asked.account.plan,
          rate_limits: {
            primary: { used_percent: 12, window_minutes: 300, reset_at: Math.floor(asked.now / 1000) + 60 },
          },
        },
      };
      yield { event: { type: 'keepalive' } };
    }
  },
});
