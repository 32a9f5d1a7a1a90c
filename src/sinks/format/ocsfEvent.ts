import type { Json } from '../../domain/core/redact.ts';
import type { Actor } from '../../eventLog/eventLog.ts';
import { eventLineOf } from '../../evidence/make/eventLineOf.ts';
import type { StoredRow } from '../../integrity/leaf/leafEntry.ts';
import { ACCOUNT_CHANGE, API_ACTIVITY, OCSF_VERSION, type OcsfMapping, ocsfMappingOf } from './ocsfClasses.ts';

type Fields = { readonly [name: string]: Json };

const INFORMATIONAL = { severity_id: 1, severity: 'Informational' } as const;
const LOW = { severity_id: 2, severity: 'Low' } as const;
const SUCCESS = { status_id: 1, status: 'Success' } as const;
const FAILURE = { status_id: 2, status: 'Failure' } as const;

/** User types of OCSF. */
const PERSON = { type_id: 1, type: 'User' } as const;
const ADMINISTRATOR = { type_id: 2, type: 'Admin', uid: 'built-in', name: 'built-in administrator' } as const;
const SERVICE = { type_id: 4, type: 'Service' } as const;

/**
 * An event as OCSF 1.3. What svc records has no field of its own there stands in `unmapped`, with what identifies the event in the
 * log. Names and addresses of people are sealed in the log, so they are not in here either.
 */
export function ocsfEventOf(row: StoredRow, origin: string): Fields {
  const line = eventLineOf(row, origin);
  const data = asFields(line.data);
  const actor = actorOf(row.metadata);
  const mapping = ocsfMappingOf(row.type);
  const { class: ocsfClass, activity } = mapping;
  const activityId = (ocsfClass.activities as Readonly<Record<string, number>>)[activity] as number;
  const hasFailed = 'failed' in mapping || isFailure(row.type, data);
  return {
    category_uid: ocsfClass.category.uid,
    category_name: ocsfClass.category.name,
    class_uid: ocsfClass.uid,
    class_name: ocsfClass.name,
    activity_id: activityId,
    activity_name: activity,
    type_uid: ocsfClass.uid * 100 + activityId,
    type_name: `${ocsfClass.name}: ${activity}`,
    time: row.time,
    ...(hasFailed ? { ...LOW, ...FAILURE } : { ...INFORMATIONAL, ...SUCCESS }),
    message: row.type,
    metadata: {
      version: OCSF_VERSION,
      product: { name: 'svc', vendor_name: 'svc' },
      uid: row.id,
      event_code: row.type,
      sequence: row.position,
      log_name: row.stream,
      log_provider: origin,
      ...(line.correlationid !== undefined && { correlation_uid: line.correlationid }),
      ...(line.time !== undefined && { original_time: line.time }),
    },
    ...ofClass(mapping, row.type, data, actor),
    unmapped: {
      revision: row.revision,
      schema_version: row.version,
      data_sha256: line.datasha256,
      metadata_sha256: line.metadatasha256,
      ...(line.datahidden !== undefined && { data_hidden: line.datahidden }),
      data: line.data ?? null,
    },
  };
}

function ofClass(mapping: OcsfMapping, type: string, data: Fields, actor: Actor | undefined): Fields {
  const by = actorFields(actor);
  switch (mapping.class) {
    case API_ACTIVITY: {
      const { route, model, requestId } = data;
      const operation = typeof route === 'string' ? route : type;
      return {
        actor: by,
        api: {
          operation,
          service: { name: 'svc' },
          ...(typeof requestId === 'string' && { request: { uid: requestId } }),
        },
        src_endpoint: endpointOf(actor),
        ...(typeof model === 'string' && { resources: [{ type: 'model', name: model }] }),
      };
    }
    case ACCOUNT_CHANGE: {
      const field = 'user' in mapping ? mapping.user : undefined;
      return { actor: by, user: accountOf(field, data), src_endpoint: endpointOf(actor) };
    }
    default:
      return {
        actor: by,
        user: signedInOf(data, actor),
        service: { name: 'svc' },
        src_endpoint: endpointOf(actor),
        is_remote: true,
        ...sessionOf(data),
      };
  }
}

function accountOf(field: string | undefined, data: Fields): Fields {
  const id = field === undefined ? undefined : data[field];
  if (typeof id !== 'string') return ADMINISTRATOR;
  return field === 'operatorId' ? { ...PERSON, uid: id } : { ...SERVICE, uid: id };
}

function signedInOf(data: Fields, actor: Actor | undefined): Fields {
  if (typeof data.operatorId === 'string') return { ...PERSON, uid: data.operatorId };
  if (actor?.kind === 'operator' && actor.operatorId !== undefined) return { ...PERSON, uid: actor.operatorId };
  return ADMINISTRATOR;
}

const sessionOf = ({ sessionId }: Fields): Fields =>
  typeof sessionId === 'string' ? { session: { uid: sessionId } } : {};

function actorFields(actor: Actor | undefined): Fields {
  switch (actor?.kind) {
    case 'operator':
      return {
        user: actor.operatorId === undefined ? ADMINISTRATOR : { ...PERSON, uid: actor.operatorId },
        ...(actor.sessionId !== null && { session: { uid: actor.sessionId } }),
        ...(actor.tokenId !== undefined && { app_uid: actor.tokenId }),
      };
    case 'apiKey':
      return { user: { ...SERVICE, uid: actor.keyId } };
    case 'cli':
      return {
        app_name: `svc ${actor.command}`,
        ...(actor.user !== null && { user: { ...PERSON, name: actor.user } }),
      };
    case 'system':
      return { app_name: 'svc' };
    default:
      return { app_name: 'client' };
  }
}

/** The address of a caller is sealed in the log; an endpoint must have a name at least. */
const endpointOf = (actor: Actor | undefined): Fields =>
  actor?.kind === 'system' || actor?.kind === 'cli' ? { svc_name: 'svc' } : { name: 'client' };

function actorOf(metadata: string): Actor | undefined {
  try {
    return (JSON.parse(metadata) as { readonly actor?: Actor }).actor;
  } catch {
    return undefined;
  }
}

/** A request that ended with an error, or an event that is named after a failure. */
const isFailure = (type: string, { status, errorCode }: Fields): boolean =>
  type.endsWith('Failed') || typeof errorCode === 'string' || status === 'error';

const asFields = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
