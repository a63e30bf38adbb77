/** The ways in which an alert reaches people. */
export const contactKinds = ['email', 'slack', 'teams', 'discord', 'pagerDuty', 'webhook'] as const
export type ContactKind = (typeof contactKinds)[number]

export const maxContactPoints = 20

/** What an alert rule watches. */
export const alertRuleKinds = [
  'volumeDrop',
  'silence',
  'failureRate',
  'channelStopped',
  'valuesMissing',
  'matchKeys',
  'ordersMissing',
  'disk',
] as const
export type AlertRuleKind = (typeof alertRuleKinds)[number]

export const maxAlertRules = 100

export type AlertRuleField = 'eventName' | 'per' | 'by' | 'above' | 'minimum' | 'minutes' | 'free'

/** The fields that a rule of each kind may have. */
export const fieldsOfKind: Readonly<Record<AlertRuleKind, readonly AlertRuleField[]>> = {
  volumeDrop: ['eventName', 'per', 'by', 'minimum'],
  silence: ['eventName', 'minutes', 'minimum'],
  failureRate: ['above', 'minimum'],
  channelStopped: [],
  valuesMissing: ['eventName', 'above', 'minimum'],
  matchKeys: ['by', 'minimum'],
  ordersMissing: ['above', 'minimum'],
  disk: ['free'],
}
