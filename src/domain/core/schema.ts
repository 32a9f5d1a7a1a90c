import type { z } from 'zod';

/** What makes schemas, given by those who validate: those who only read events load none of it. */
export type Zod = typeof z;

/** A schema that is made when it is first asked for, and once. */
export type Schema<Made> = (z: Zod) => Made;

/** What a schema lets through. */
export type Infer<Lazy> = Lazy extends Schema<infer Made extends z.ZodType> ? z.infer<Made> : never;

/**
 * Declares a schema without making it: at the start of a thread that never validates it would be half of the work. It is made
 * once for each `z`; `eventLog/storedJson` passes another one than zod's.
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
