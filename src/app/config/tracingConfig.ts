import {
  otlpProtocols,
  type SamplerName,
  samplerNames,
  type TracingSettings,
} from '../../lib/tracing/tracingSettings.ts';

// These variables are often set for all programs of a machine, so `config.ts` takes any text, and what svc cannot do is refused here, if
// it is to send traces.

/** Standard variables of OpenTelemetry (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). */
type Given = Readonly<Partial<Record<`OTEL_${string}`, string | undefined>>>;

const DEFAULT_DELAY_MS = 5_000;

const OFF = 'Or switch traces off: OTEL_TRACES_EXPORTER=none.';

/** Whether an endpoint is set, and traces are not switched off. */
function isOn(given: Given): boolean {
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter } = given;
  const endpoint = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? given.OTEL_EXPORTER_OTLP_ENDPOINT;
  return endpoint !== undefined && disabled?.toLowerCase() !== 'true' && exporter !== 'none';
}

/** @returns what is wrong with the settings of traces, each as a line that begins with the name of a setting */
export const problemsOfTracing = (given: Given): string[] => (isOn(given) ? parse(given).problems : []);

/** @returns undefined while traces are off */
export const readTracing = (given: Given): TracingSettings | undefined =>
  isOn(given) ? parse(given).settings : undefined;

function parse(given: Given): { readonly problems: string[]; readonly settings: TracingSettings | undefined } {
  const problems: string[] = [];
  const wrong = (name: keyof Given, what: string): void => void problems.push(`${name}: ${what} ${OFF}`);

  const exporter = given.OTEL_TRACES_EXPORTER ?? 'otlp';
  if (exporter !== 'otlp') wrong('OTEL_TRACES_EXPORTER', 'must be otlp or none.');

  const ofTraces = given.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const endpoint = ofTraces ?? `${given.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '')}/v1/traces`;
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) {
    const name = ofTraces === undefined ? 'OTEL_EXPORTER_OTLP_ENDPOINT' : 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
    wrong(name, 'must be an http or https URL.');
  }

  const protocolName =
    given.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL === undefined
      ? 'OTEL_EXPORTER_OTLP_PROTOCOL'
      : 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';
  const protocol = otlpProtocols.find((known) => known === (given[protocolName] ?? 'http/protobuf'));
  if (!protocol) wrong(protocolName, 'must be http/protobuf or http/json; collectors take both on port 4318.');

  const headersName =
    given.OTEL_EXPORTER_OTLP_TRACES_HEADERS === undefined
      ? 'OTEL_EXPORTER_OTLP_HEADERS'
      : 'OTEL_EXPORTER_OTLP_TRACES_HEADERS';
  const headers = parsePairs(given[headersName] ?? '');
  // Without the value, which is a secret.
  if (!headers || !Object.entries(headers).every(isHeader))
    wrong(headersName, 'must be headers such as api-key=value,other=value, with other characters as %20.');

  const resource = parsePairs(given.OTEL_RESOURCE_ATTRIBUTES ?? '');
  if (!resource) wrong('OTEL_RESOURCE_ATTRIBUTES', 'must be pairs such as deployment.environment.name=test,a=b.');

  const sampler = samplerNames.find((known) => known === (given.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on'));
  if (!sampler) wrong('OTEL_TRACES_SAMPLER', `must be one of ${samplerNames.join(', ')}.`);
  const ratio = sampler && usesRatio(sampler) ? Number(given.OTEL_TRACES_SAMPLER_ARG ?? '1') : 1;
  if (!(ratio >= 0 && ratio <= 1)) wrong('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1.');

  const delayMs = Number(given.OTEL_BSP_SCHEDULE_DELAY ?? DEFAULT_DELAY_MS);
  if (!(Number.isInteger(delayMs) && delayMs >= 1 && delayMs <= 60_000))
    wrong('OTEL_BSP_SCHEDULE_DELAY', 'must be a whole number of milliseconds from 1 to 60000.');

  if (problems.length > 0 || !url || !protocol || !headers || !resource || !sampler)
    return { problems, settings: undefined };
  const name = given.OTEL_SERVICE_NAME ?? resource['service.name'] ?? 'svc';
  return {
    problems,
    settings: { url, protocol, headers, sampler, ratio, delayMs, resource: { ...resource, 'service.name': name } },
  };
}

const usesRatio = (sampler: SamplerName): boolean => sampler.endsWith('traceidratio');

/** Pairs such as `a=b,c=d`, with other characters as `%20`. @returns undefined if the text is none */
function parsePairs(text: string): Record<string, string> | undefined {
  const pairs: [string, string][] = [];
  for (const item of text.split(',')) {
    if (item.trim() === '') continue;
    const at = item.indexOf('=');
    if (at < 1) return undefined;
    try {
      pairs.push([decodeURIComponent(item.slice(0, at).trim()), decodeURIComponent(item.slice(at + 1).trim())]);
    } catch {
      return undefined;
    }
  }
  return Object.fromEntries(pairs);
}

/** Of https://httpwg.org/specs/rfc9110.html#fields: a token, and a value in one line. */
const isHeader = ([name, value]: [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(value);
