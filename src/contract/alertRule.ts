import { type AlertRuleField, alertRuleKinds } from './alertKinds.ts'
import { AlertName, AlertNameParams } from './contactPoint.ts'
import { type Operation, pageQuery } from './operation.ts'
import { EpochMs, OptionalText, OptionalTime, type Static, Type } from './schema.ts'
import { patterns } from './schemaPatterns.ts'

const share = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1, description }))

/** The settings that only one kind of rule has. */
const ruleFields = {
  eventName: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'only events of this name; default: all' }),
  ),
  per: Type.Optional(Type.Enum(['hour', 'day'], { description: 'the length of the compared period; default: hour' })),
  by: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 10,
      description:
        'volumeDrop, matchKeys: the share by which it must have fallen; default: 0.5. volumeRise, consentSkipped: by which it must have risen; default: 1, which is twice as much',
    }),
  ),
  above: share(
    'failureRate, valuesMissing, eventIssues, ordersMissing, callsRefused, duplicates: the share that is too much; default: 0.1',
  ),
  minimum: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: 'nothing is said where fewer were to be expected, or came; default: 10',
    }),
  ),
  minutes: Type.Optional(
    Type.Integer({
      minimum: 5,
      maximum: 10_080,
      description: 'silence: the minutes without an event; backlog: for which a delivery waits; default: 60',
    }),
  ),
  seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 86_400,
      description: 'latency: how long 19 of 20 deliveries may take from the receipt of the event; default: 60',
    }),
  ),
  free: share('disk: the share of free space that is too little; default: 0.1'),
} satisfies Record<AlertRuleField, unknown>
export const AlertRuleWrite = Type.Object({
  kind: Type.Enum([...alertRuleKinds]),
  tagId: Type.Optional(Type.String({ maxLength: 100, description: 'default: every tag of the team' })),
  ...ruleFields,
  to: Type.Array(AlertName, {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: 'the names of contact points',
  }),
  quiet: Type.Optional(
    Type.String({
      pattern: patterns.quietHours,
      description:
        'hours without messages, such as 22:00-07:00; incidents that end within them are reported in one message afterwards',
    }),
  ),
  timeZone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'the time zone of quiet hours, of weeks and of messages, like Europe/Berlin; default: UTC',
    }),
  ),
})
export type AlertRuleWrite = Static<typeof AlertRuleWrite>

/** A rule that alerts the team. */
export const AlertRule = Type.Object({
  name: Type.String(),
  ...AlertRuleWrite.properties,
  mutedUntil: OptionalTime('no message is sent before this time, epoch ms'),
})
export type AlertRule = Static<typeof AlertRule>

const SavedAlertRule = Type.Object({
  ...AlertRule.properties,
  warnings: Type.Optional(Type.Array(Type.String(), { description: 'accepted, but probably a mistake' })),
})

const IncidentMessage = Type.Object({
  to: Type.String({ description: 'the name of the contact point' }),
  about: Type.Enum(['start', 'repeat', 'end'], { description: 'repeat: the last one that says that it lasts' }),
  status: Type.Enum(['pending', 'sent', 'failed']),
  tries: Type.Integer(),
  message: OptionalText('the error of the last attempt, if it failed'),
})

/** An incident that a rule found, from its first to its last event. */
export const Incident = Type.Object({
  incidentId: Type.String(),
  rule: Type.String({ description: 'the name of the rule' }),
  kind: Type.Enum([...alertRuleKinds]),
  tagId: Type.Optional(Type.String()),
  scriptIds: Type.Array(Type.String(), { description: 'the channels, at most 100' }),
  title: Type.String(),
  firstAt: EpochMs({ description: 'the first event, epoch ms' }),
  lastAt: EpochMs({ description: 'the last event, epoch ms' }),
  startedAt: EpochMs({ description: 'when it was found, epoch ms' }),
  endedAt: OptionalTime('absent while it lasts, epoch ms'),
  messages: Type.Array(IncidentMessage),
})
export type Incident = Static<typeof Incident>

/** The mute of all rules of the team. */
const teamMute = {
  mutedUntil: OptionalTime('until then all rules are muted and no message is sent, epoch ms'),
}
const until = EpochMs({ description: 'epoch ms; 0 ends it' })

const shared = { access: ['hook:write'], params: AlertNameParams } as const

export const alertRuleOperations = {
  listAlertRules: {
    method: 'GET',
    path: '/alert-rule',
    summary: 'Lists the alert rules of the team',
    access: ['hook:read'],
    query: pageQuery,
    response: Type.Object({ alertRules: Type.Array(AlertRule), ...teamMute, next: Type.Optional(Type.String()) }),
  },
  putAlertRule: {
    ...shared,
    method: 'PUT',
    path: '/alert-rule/{name}',
    summary: 'Adds or replaces an alert rule; a muted one stays muted',
    body: AlertRuleWrite,
    response: SavedAlertRule,
    faults: ['tagUnknown', 'tooManyAlertRules'],
  },
  muteAlertRule: {
    ...shared,
    method: 'POST',
    path: '/alert-rule/{name}/mute',
    summary: 'Mutes an alert rule until a time; a time that has passed ends it',
    body: Type.Object({ until }),
    response: AlertRule,
    faults: ['alertRuleUnknown'],
  },
  muteAlertRules: {
    method: 'POST',
    path: '/alert-mute',
    summary: 'Mutes all alert rules of the team until a time; a time that has passed ends it',
    access: ['hook:write'],
    body: Type.Object({ until }),
    response: Type.Object(teamMute),
  },
  deleteAlertRule: {
    ...shared,
    method: 'DELETE',
    path: '/alert-rule/{name}',
    summary: 'Removes an alert rule, and ends its incidents',
    response: Type.Object({ name: Type.String() }),
    faults: ['alertRuleUnknown'],
  },
  listIncidents: {
    method: 'GET',
    path: '/incident',
    summary: 'Lists the incidents of the alert rules of the team, newest first, with the messages that were sent',
    access: ['event:read'],
    query: pageQuery,
    response: Type.Object({ incidents: Type.Array(Incident), ...teamMute, next: Type.Optional(Type.String()) }),
  },
} as const satisfies Record<string, Operation>
