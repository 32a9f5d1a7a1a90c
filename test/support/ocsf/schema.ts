/**
 * What the schema of OCSF 1.3.0 says of the classes and objects that svc writes: the attributes of each that may be used here, with
 * type and whether they are required, and the values of enumerations. Transcribed from github.com/ocsf/ocsf-schema
 * (events/base_event.json, events/iam, events/application/api_activity.json, objects); attributes that svc does not write are left
 * out, so that one that appears is an error here.
 */
export interface Attribute {
  readonly type: 'string' | 'integer' | 'timestamp' | 'boolean' | 'any' | 'datetime' | { readonly object: string };
  readonly isRequired?: true;
  readonly isList?: true;
  /** Allowed values with their captions, which the attribute of the same name without `_id` has. */
  readonly values?: Readonly<Record<number, string>>;
}

export interface SchemaObject {
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** At least one of these is there. */
  readonly atLeastOne?: readonly string[];
}

const text: Attribute = { type: 'string' };
const requiredText: Attribute = { type: 'string', isRequired: true };
const object = (name: string): Attribute => ({ type: { object: name } });
const requiredObject = (name: string): Attribute => ({ type: { object: name }, isRequired: true });

export const objects: Readonly<Record<string, SchemaObject>> = {
  metadata: {
    attributes: {
      version: requiredText,
      product: requiredObject('product'),
      uid: text,
      event_code: text,
      sequence: { type: 'integer' },
      log_name: text,
      log_provider: text,
      correlation_uid: text,
      original_time: text,
    },
  },
  product: { attributes: { name: requiredText, vendor_name: text, version: text } },
  actor: {
    attributes: { user: object('user'), session: object('session'), app_name: text, app_uid: text },
    atLeastOne: ['process', 'user', 'invoked_by', 'session', 'app_name', 'app_uid'],
  },
  user: {
    attributes: {
      uid: text,
      name: text,
      type: text,
      type_id: {
        type: 'integer',
        values: { 0: 'Unknown', 1: 'User', 2: 'Admin', 3: 'System', 4: 'Service', 99: 'Other' },
      },
    },
    atLeastOne: ['account', 'name', 'uid'],
  },
  session: { attributes: { uid: text } },
  api: {
    attributes: { operation: requiredText, service: object('service'), request: object('request') },
  },
  service: { attributes: { name: text, uid: text }, atLeastOne: ['name', 'uid'] },
  request: { attributes: { uid: requiredText } },
  network_endpoint: {
    attributes: { name: text, svc_name: text, uid: text },
    atLeastOne: [
      'ip',
      'uid',
      'name',
      'hostname',
      'svc_name',
      'instance_uid',
      'interface_uid',
      'interface_name',
      'domain',
    ],
  },
  resource_details: { attributes: { name: text, type: text, uid: text } },
};

const base = {
  category_uid: { type: 'integer', isRequired: true },
  category_name: text,
  class_uid: { type: 'integer', isRequired: true },
  class_name: text,
  activity_id: { type: 'integer', isRequired: true },
  activity_name: text,
  type_uid: { type: 'integer', isRequired: true },
  type_name: text,
  time: { type: 'timestamp', isRequired: true },
  severity: text,
  severity_id: {
    type: 'integer',
    isRequired: true,
    values: {
      0: 'Unknown',
      1: 'Informational',
      2: 'Low',
      3: 'Medium',
      4: 'High',
      5: 'Critical',
      6: 'Fatal',
      99: 'Other',
    },
  },
  status: text,
  status_id: { type: 'integer', values: { 0: 'Unknown', 1: 'Success', 2: 'Failure', 99: 'Other' } },
  message: text,
  metadata: requiredObject('metadata'),
  unmapped: { type: 'any' },
} as const satisfies Record<string, Attribute>;

export interface SchemaClass extends SchemaObject {
  readonly uid: number;
  readonly name: string;
  readonly category: { readonly uid: number; readonly name: string };
  readonly activities: Readonly<Record<number, string>>;
}

const IAM = { uid: 3, name: 'Identity & Access Management' };
const DEFAULT_ACTIVITIES = { 0: 'Unknown', 99: 'Other' };

export const classes: readonly SchemaClass[] = [
  {
    uid: 3001,
    name: 'Account Change',
    category: IAM,
    activities: {
      ...DEFAULT_ACTIVITIES,
      1: 'Create',
      2: 'Enable',
      3: 'Password Change',
      4: 'Password Reset',
      5: 'Disable',
      6: 'Delete',
      7: 'Attach Policy',
      8: 'Detach Policy',
      9: 'Lock',
      10: 'MFA Factor Enable',
      11: 'MFA Factor Disable',
    },
    attributes: {
      ...base,
      actor: object('actor'),
      user: requiredObject('user'),
      src_endpoint: object('network_endpoint'),
    },
  },
  {
    uid: 3002,
    name: 'Authentication',
    category: IAM,
    activities: {
      ...DEFAULT_ACTIVITIES,
      1: 'Logon',
      2: 'Logoff',
      3: 'Authentication Ticket',
      4: 'Service Ticket Request',
      5: 'Service Ticket Renew',
      6: 'Preauth',
    },
    attributes: {
      ...base,
      actor: object('actor'),
      user: requiredObject('user'),
      service: object('service'),
      session: object('session'),
      src_endpoint: object('network_endpoint'),
      is_remote: { type: 'boolean' },
    },
    atLeastOne: ['service', 'dst_endpoint'],
  },
  {
    uid: 6003,
    name: 'API Activity',
    category: { uid: 6, name: 'Application Activity' },
    activities: { ...DEFAULT_ACTIVITIES, 1: 'Create', 2: 'Read', 3: 'Update', 4: 'Delete' },
    attributes: {
      ...base,
      actor: requiredObject('actor'),
      api: requiredObject('api'),
      src_endpoint: requiredObject('network_endpoint'),
      resources: { type: { object: 'resource_details' }, isList: true },
    },
  },
];
