export const samplerNames = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof samplerNames)[number];

/** Formats of OTLP over HTTP. */
export const otlpProtocols = ['http/protobuf', 'http/json'] as const;

/** How spans are sampled, named and sent. */
export interface TracingSettings {
  /** The URL that gets batches of spans. */
  readonly url: URL;
  readonly protocol: (typeof otlpProtocols)[number];
  /** Headers of these posts. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: SamplerName;
  /** The part of the traces that a ratio takes, from 0 to 1. */
  readonly ratio: number;
  /** Longest time that an ended span waits for its batch. */
  readonly delayMs: number;
  /** Attributes of the service, with `service.name`. */
  readonly resource: Readonly<Record<string, string>>;
}
