import type { AlertRuleKind, ContactKind } from '#contract/alertKinds.ts'

const kindNames: Record<AlertRuleKind, string> = {
  volumeDrop: 'Fewer events than usual',
  silence: 'No events',
  failureRate: 'Deliveries fail',
  channelStopped: 'A channel is stopped',
  valuesMissing: 'Events without a value',
  matchKeys: 'Fewer match keys than usual',
  ordersMissing: 'Orders without an event',
  disk: 'The disk is almost full',
}
const contactKindNames: Record<ContactKind, string> = {
  email: 'E-mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  pagerDuty: 'PagerDuty',
  webhook: 'Signed webhook',
}

/** Texts of alert rules. */
export const alertRuleWords = {
  title: 'Rules',
  note: 'What is watched, and who is told.',
  none: 'No rules: nobody is told when a channel stops.',
  add: 'Add rule',
  edit: 'Edit',
  save: 'Save',
  name: 'Name',
  kind: 'When',
  kindName: (kind: AlertRuleKind) => kindNames[kind],
  tag: 'Tag',
  everyTag: 'Every tag',
  eventName: 'Event name',
  to: 'Send to',
  noContact: 'Add a contact point first.',
  quiet: 'Quiet hours',
  quietHint: 'Like 22:00-07:00, in your time zone. What ends within them is told in one message afterwards.',
  state: 'State',
  on: 'active',
  muted: 'muted until',
  mute: 'Mute for a day',
  unmute: 'Unmute',
  remove: 'Remove',
  removeTitle: 'Remove this rule?',
  removeText: 'What it found ends, and nobody is told of it any more.',
}

/** Texts of contact points. */
export const contactWords = {
  title: 'Contact points',
  note: 'Where messages go.',
  none: 'No contact points.',
  add: 'Add contact point',
  save: 'Save',
  name: 'Name',
  kind: 'Kind',
  kindName: (kind: ContactKind) => contactKindNames[kind],
  target: 'Goes to',
  address: 'E-mail address',
  url: 'Address of the webhook',
  urlHint: 'It is kept secret: only its host is shown.',
  routingKey: 'Integration key',
  routingKeyHint: 'Of an Events API v2 integration of a service.',
  unconfirmed: 'not confirmed',
  confirm: 'Confirm',
  confirmTitle: 'Confirm this address',
  confirmText: 'A mail with a code was sent to it.',
  code: 'Code',
  test: 'Send a test',
  testSent: 'Sent.',
  testFailed: (message: string) => `Not sent: ${message}`,
  remove: 'Remove',
  removeTitle: 'Remove this contact point?',
  removeText: 'Rules that send to it send to their others.',
  secretTitle: 'The signing key',
  secretNote: 'Copy it now: it is shown only once. The webhook verifies messages with it.',
  secret: 'Signing key',
}

/** Texts of what rules found. */
export const incidentWords = {
  title: 'What rules found',
  note: 'Each cause from its first event to its last.',
  none: 'Nothing so far.',
  what: 'What',
  from: 'First event',
  to: 'Last event',
  messages: 'Messages',
  lasts: 'lasts',
  ended: 'ended',
  toNobody: 'nobody',
  message: (to: string, status: 'pending' | 'sent' | 'failed') =>
    `${to}: ${{ pending: 'waits', sent: 'sent', failed: 'failed' }[status]}`,
  channels: 'Messages to hooks',
}
