import type { AlertRule, Incident } from '../alertRule.ts'
import type { ContactPoint } from '../contactPoint.ts'
import { at, exampleValues, type OperationExamples } from './example.ts'

const { tagId, scriptId, name } = exampleValues
const url = 'https://hooks.slack.com/services/T000/B000/key'
const slack: ContactPoint = {
  name,
  kind: 'slack',
  target: 'hooks.slack.com',
  isConfirmed: true,
  language: 'en',
  createdAt: at,
}
const mail: ContactPoint = { ...slack, name: 'Jane', kind: 'email', target: 'jane@shop.example' }
const { name: ruleName, ...settings } = {
  name,
  kind: 'volumeDrop',
  tagId,
  eventName: 'Purchase',
  by: 0.5,
  to: ['ops'],
  quiet: '22:00-07:00',
  timeZone: 'Europe/Berlin',
} satisfies AlertRule
const rule: AlertRule = { name: ruleName, ...settings }
const incident: Incident = {
  incidentId: 'inc_01kahr3m5we7tbs9d2q6n4xcde',
  rule: 'Stopped',
  kind: 'channelStopped',
  tagId,
  scriptIds: [scriptId],
  title: 'Shop: stopped: Meta',
  firstAt: at,
  lastAt: at + 600_000,
  startedAt: at + 12_000,
  endedAt: at + 612_000,
  messages: [
    { to: 'ops', about: 'start', status: 'sent', tries: 1 },
    { to: 'ops', about: 'end', status: 'sent', tries: 1 },
  ],
}

export const alertExamples = {
  muteAlertRules: { body: { until: at + 3_600_000 }, response: { mutedUntil: at + 3_600_000 } },
  listAlertRules: { response: { alertRules: [rule] } },
  putAlertRule: { body: settings, response: rule },
  muteAlertRule: { body: { until: at + 3_600_000 }, response: { ...rule, mutedUntil: at + 3_600_000 } },
  deleteAlertRule: { response: { name } },
  listIncidents: { response: { incidents: [incident] } },
  listContactPoints: { response: { contactPoints: [slack, mail] } },
  putContactPoint: { body: { kind: 'slack', url }, response: slack },
  confirmContactPoint: { body: { code: '04711815' }, response: mail },
  testContactPoint: { response: { isSent: true } },
  deleteContactPoint: { response: { name } },
} satisfies OperationExamples
