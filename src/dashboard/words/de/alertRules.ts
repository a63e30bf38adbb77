import type { AlertRuleKind, ContactKind } from '#contract/alertKinds.ts'
import type * as english from '../en/alertRules.ts'
import type { Translated } from '../translated.ts'

const kindNames: Record<AlertRuleKind, string> = {
  volumeDrop: 'Weniger Ereignisse als üblich',
  volumeRise: 'Mehr Ereignisse als üblich',
  silence: 'Keine Ereignisse',
  failureRate: 'Zustellungen scheitern',
  channelStopped: 'Ein Kanal steht still',
  valuesMissing: 'Ereignisse ohne Wert',
  eventIssues: 'Ereignisse mit einem Mangel',
  matchKeys: 'Weniger Abgleichschlüssel als üblich',
  ordersMissing: 'Bestellungen ohne Ereignis',
  latency: 'Zustellungen dauern lange',
  backlog: 'Zustellungen warten',
  consentSkipped: 'Mehr als üblich entfällt mangels Einwilligung',
  callsRefused: 'Ereignisse oder Aufrufe werden abgelehnt',
  duplicates: 'Ereignisse kommen doppelt',
  newEventName: 'Ein neuer Name eines Ereignisses',
  disk: 'Die Platte ist fast voll',
}
const contactKindNames: Record<ContactKind, string> = {
  email: 'E-Mail',
  slack: 'Slack',
  teams: 'Microsoft Teams',
  discord: 'Discord',
  pagerDuty: 'PagerDuty',
  webhook: 'Signierter Webhook',
}

/** Texts of alert rules. */
export const alertRuleWords: Translated<typeof english.alertRuleWords> = {
  title: 'Regeln',
  note: 'Was beobachtet wird, und wer davon erfährt.',
  none: 'Keine Regeln: Niemand erfährt, wenn ein Kanal stillsteht.',
  add: 'Regel anlegen',
  addUsual: 'Die üblichen Regeln anlegen',
  edit: 'Ändern',
  name: 'Name',
  kind: 'Wenn',
  kindName: (kind) => kindNames[kind],
  tag: 'Tag',
  everyTag: 'Jedes Tag',
  eventName: 'Name des Ereignisses',
  to: 'Senden an',
  noContact: 'Legen Sie zuerst eine Kontaktstelle an.',
  quiet: 'Ruhezeit',
  quietHint: 'Zum Beispiel 22:00-07:00, in Ihrer Zeitzone. Was darin endet, steht danach in einer Nachricht.',
  state: 'Zustand',
  on: 'aktiv',
  muted: 'stumm bis',
  mute: 'Einen Tag stumm',
  unmute: 'Wieder senden',
  muteAll: 'Alle Regeln einen Tag stumm',
  unmuteAll: 'Alle wieder senden',
  allMuted: 'Alle Regeln sind stumm bis',
  unknownEvent: (eventName) =>
    `In den letzten 28 Tagen kam kein Ereignis mit dem Namen „${eventName}“. Die Regel ist gespeichert: Prüfen Sie die Schreibweise.`,
  remove: 'Entfernen',
  removeTitle: 'Diese Regel entfernen?',
  removeText: 'Was sie gefunden hat, endet, und niemand erfährt mehr davon.',
}

/** Texts of contact points. */
export const contactWords: Translated<typeof english.contactWords> = {
  title: 'Kontaktstellen',
  note: 'Wohin Nachrichten gehen.',
  none: 'Keine Kontaktstellen.',
  add: 'Kontaktstelle anlegen',
  name: 'Name',
  kind: 'Art',
  kindName: (kind) => contactKindNames[kind],
  target: 'Geht an',
  address: 'E-Mail-Adresse',
  url: 'Adresse des Webhooks',
  urlHint: 'Sie bleibt geheim: Nur ihr Host wird gezeigt.',
  routingKey: 'Integrationsschlüssel',
  routingKeyHint: 'Von einer Integration der Events API v2 eines Dienstes.',
  unconfirmed: 'nicht bestätigt',
  confirm: 'Bestätigen',
  confirmTitle: 'Diese Adresse bestätigen',
  confirmText: 'Eine E-Mail mit einem Code ging an sie.',
  test: 'Test senden',
  testSent: 'Gesendet.',
  testFailed: (message) => `Nicht gesendet: ${message}`,
  remove: 'Entfernen',
  removeTitle: 'Diese Kontaktstelle entfernen?',
  removeText: 'Regeln, die an sie senden, senden an ihre anderen.',
  secretTitle: 'Der Signaturschlüssel',
  secretNote: 'Kopieren Sie ihn jetzt: Er wird nur einmal gezeigt. Der Webhook prüft damit die Nachrichten.',
  secret: 'Signaturschlüssel',
}

/** Texts of incidents. */
export const incidentWords: Translated<typeof english.incidentWords> = {
  title: 'Was Regeln fanden',
  note: 'Jede Ursache, vom ersten Ereignis bis zum letzten.',
  none: 'Bisher nichts.',
  what: 'Was',
  from: 'Erstes Ereignis',
  to: 'Letztes Ereignis',
  messages: 'Nachrichten',
  lasts: 'dauert an',
  ended: 'beendet',
  toNobody: 'niemand',
  message: (to, status) => `${to}: ${{ pending: 'wartet', sent: 'gesendet', failed: 'gescheitert' }[status]}`,
  channels: 'Nachrichten an Hooks',
}
