import type { z } from 'zod';
import type { Instant, Position } from './brands.ts';
import { type Schema, schema } from './schema.ts';

/** An event that is not recorded yet. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/** An event with its place in the log and its time. */
export type Recorded<Event extends DomainEvent = DomainEvent> = Event extends DomainEvent
  ? Event & { readonly position: Position; readonly time: Instant; readonly stream: string; readonly revision: number }
  : never;

/** Turns the data of one schema version into that of the next; pure. */
export type Upcaster = (data: unknown) => unknown;

interface Declaration<Data> {
  /** Version of the data's shape; a higher one needs an upcaster from each version below. */
  readonly version: number;
  readonly data: Schema<z.ZodType<Data>>;
  /** One sentence for the history; must not contain secrets. */
  readonly describe: (data: Data) => string;
  /** `upcasters[n]` turns version n + 1 into version n + 2. */
  readonly upcasters?: readonly Upcaster[];
}

export interface EventDefinition<Type extends string = string, Data = never> extends Declaration<Data> {
  (data: Data): DomainEvent<Type, Data>;
  readonly type: Type;
  readonly upcasters: readonly Upcaster[];
}

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Data> ? DomainEvent<Type, Data> : never;

/**
 * Declares an event: its type, schema, constructor and sentence.
 * @throws Error when the upcasters do not lead from version 1 to the current one
 */
export function event<const Type extends string, Data>(
  type: Type,
  declaration: Declaration<Data>,
): EventDefinition<Type, Data> {
  const upcasters = declaration.upcasters ?? [];
  if (upcasters.length !== declaration.version - 1) {
    throw new Error(`${type}: version ${declaration.version} needs ${declaration.version - 1} upcasters`);
  }
  const construct = (data: Data): DomainEvent<Type, Data> => ({ type, data });
  return Object.assign(construct, declaration, { type, data: schema(declaration.data), upcasters });
}
