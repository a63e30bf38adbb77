/** The channels through which alerts reach people. */
export const contactKinds = ['email', 'slack', 'teams', 'discord', 'pagerDuty', 'webhook'] as const
export type ContactKind = (typeof contactKinds)[number]

export const maxContactPoints = 20

/** The conditions that alert rules watch. */
export const alertRuleKinds = [
  'volumeDrop',
  'volumeRise',
  'silence',
  'failureRate',
  'channelStopped',
  'valuesMissing',
  'eventIssues',
  'matchKeys',
  'ordersMissing',
  'latency',
  'backlog',
  'consentSkipped',
  'callsRefused',
  'duplicates',
  'newEventName',
  'disk',
] as const
export type AlertRuleKind = (typeof alertRuleKinds)[number]

export const maxAlertRules = 100

export type AlertRuleField = 'eventName' | 'per' | 'by' | 'above' | 'minimum' | 'minutes' | 'seconds' | 'free'

/** The fields that a rule of each kind may have. */
export const fieldsOfKind: Readonly<Record<AlertRuleKind, readonly AlertRuleField[]>> = {
  volumeDrop: ['eventName', 'per', 'by', 'minimum'],
  volumeRise: ['eventName', 'per', 'by', 'minimum'],
  silence: ['eventName', 'minutes', 'minimum'],
  failureRate: ['above', 'minimum'],
  channelStopped: [],
  valuesMissing: ['eventName', 'above', 'minimum'],
  eventIssues: ['eventName', 'above', 'minimum'],
  matchKeys: ['by', 'minimum'],
  ordersMissing: ['above', 'minimum'],
  latency: ['seconds', 'minimum'],
  backlog: ['minutes'],
  consentSkipped: ['by', 'minimum'],
  callsRefused: ['above', 'minimum'],
  duplicates: ['above', 'minimum'],
  newEventName: ['minimum'],
  disk: ['free'],
}

/** Recommended rules by name. They fit every tag without tuning and send to all contact points of the team. */
export const usualAlertRules = {
  'Purchases stopped': { kind: 'volumeDrop', eventName: 'Purchase' },
  'Purchases without a value': { kind: 'valuesMissing', eventName: 'Purchase' },
  'Channel stopped': { kind: 'channelStopped' },
  'Half of the deliveries fail': { kind: 'failureRate', above: 0.5 },
  'Consent fell': { kind: 'consentSkipped' },
} as const satisfies Record<string, { kind: AlertRuleKind } & Partial<Record<AlertRuleField, unknown>>>
