import { STATUS_CODES } from 'node:http';
import { Counters, OTHER } from './counters.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** The status as a label: the registered ones, so that no provider or client can make more of them. */
export const statusLabel = (status: number | string): string =>
  Object.hasOwn(STATUS_CODES, status) ? String(status) : OTHER;

/** Counts the responses that svc has sent or begun. */
export class HttpResponses {
  readonly metric = new Counters('svc_http_responses_total', 'HTTP responses by route, method and status.', [
    'route',
    'method',
    'status',
  ]);
  /** By template: at most one for each route of svc. */
  readonly #labels = new Map<string, string>();

  /** @param template of the route's path, with parameters as `{id}` or `:id`; undefined: the path has no route */
  count(template: string | undefined, method: string | undefined, status: number): void {
    const methodLabel = method !== undefined && METHODS.has(method) ? method : OTHER;
    this.metric.add(template === undefined ? OTHER : this.#labelOf(template), methodLabel, statusLabel(status));
  }

  #labelOf(template: string): string {
    let label = this.#labels.get(template);
    if (label === undefined) {
      label = template.replace(/\{\w+\}|[:*]\w+/g, ':id').replace(/(?<=.)\/$/, '');
      this.#labels.set(template, label);
    }
    return label;
  }
}
