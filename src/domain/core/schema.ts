import type { z } from 'zod';

/** The zod library, passed in by code that validates, so that code that only reads events does not load it. */
export type Zod = typeof z;

/** Creates a schema on first use, and only once. */
export type Schema<Made> = (z: Zod) => Made;

/** The type of values that a schema accepts. */
export type Infer<Lazy> = Lazy extends Schema<infer Made extends z.ZodType> ? z.infer<Made> : never;

/**
 * Declares a schema without creating it: creating all of them would take half of the start of a thread that never validates.
 * A schema is created once for each `z`; `eventLog/storedJson` passes one of its own.
 */
export function schema<Made>(make: Schema<Made>): Schema<Made> {
  const madeBy = new WeakMap<Zod, { readonly schema: Made }>();
  return (z) => {
    let made = madeBy.get(z);
    if (!made) {
      made = { schema: make(z) };
      madeBy.set(z, made);
    }
    return made.schema;
  };
}
