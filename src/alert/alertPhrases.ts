import type { AlertRuleKind } from '#contract/alertKinds.ts'
import type { DashboardLanguage } from '#contract/dashboardLanguage.ts'
import type { AlertPhrase } from '#store/incidents.ts'

type TitleName = AlertRuleKind | 'volumeDropOf' | 'volumeRiseOf' | 'silenceOf' | 'valuesMissingOf' | 'eventIssuesOf'
type DetailName =
  | 'countOfHour'
  | 'countOfDay'
  | 'noneSince'
  | 'failedDeliveries'
  | 'isStopped'
  | 'isPaused'
  | 'isKeyRejected'
  | 'isVendorDown'
  | 'withoutValue'
  | 'withIssue'
  | 'withoutEvent'
  | 'fallenShare'
  | 'freeDisk'
  | 'slowDeliveries'
  | 'waitingSince'
  | 'skippedShare'
  | 'refusedCalls'
  | 'repeatedEvents'
  | 'newNames'

type PhraseName = TitleName | DetailName

/** `{0}` is a value, `{0%}` a share of one. */
type AlertTexts = {
  verbs: Record<'started' | 'repeated' | 'ended' | 'test', string>
  labels: Record<'what' | 'first' | 'last' | 'rule' | 'and' | 'open', string>
  alerts: string
  more: string
  testTitle: string
  testFact: string
  mailNote: string
  code: { subject: string; text: string; code: string; note: string }
  phrases: Record<PhraseName, string>
}

const english: AlertTexts = {
  verbs: { started: 'Started', repeated: 'Still lasts', ended: 'Ended', test: 'Test' },
  labels: { what: 'What', first: 'First event', last: 'Last event', rule: 'Rule', and: 'And', open: 'Open' },
  alerts: '{0} alerts',
  more: '{0} more',
  testTitle: 'a message to {0}',
  testFact: 'Alerts to this contact point look like this. Nothing is wrong.',
  mailNote: 'You receive these messages because this address is a contact point of a team. To unsubscribe: {0}',
  code: {
    subject: 'Confirm this address for alerts',
    text: 'A team wants to send its alerts to this address.',
    code: 'Enter this code on the page Alerts to confirm it: {0}',
    note: 'The code is valid for one day. If you do not expect it, ignore this mail; this address then receives no alerts.',
  },
  phrases: {
    volumeDrop: '{0}: fewer events than usual',
    volumeDropOf: '{0}: fewer {1} events than usual',
    volumeRise: '{0}: more events than usual',
    volumeRiseOf: '{0}: more {1} events than usual',
    silence: '{0}: no events',
    silenceOf: '{0}: no {1} events',
    failureRate: '{0}: deliveries fail: {1}',
    channelStopped: '{0}: stopped: {1}',
    valuesMissing: '{0}: Purchase events without a value',
    valuesMissingOf: '{0}: {1} events without a value',
    eventIssues: '{0}: Purchase events with an issue',
    eventIssuesOf: '{0}: {1} events with an issue',
    matchKeys: '{0}: fewer match keys than usual',
    ordersMissing: '{0}: orders without an event',
    latency: '{0}: deliveries take long',
    backlog: '{0}: deliveries wait: {1}',
    consentSkipped: '{0}: more deliveries than usual are skipped for consent',
    callsRefused: '{0}: events or calls are refused',
    duplicates: '{0}: duplicate events',
    newEventName: '{0}: a new event name',
    disk: 'The disk of the server is almost full',
    countOfHour: '{0} in the last hour; {1} is usual',
    countOfDay: '{0} in the last day; {1} is usual',
    noneSince: 'none for {0} minutes',
    failedDeliveries: '{0} of {1} deliveries of the last hour failed',
    isStopped: 'the channel is stopped',
    isPaused: 'a person paused the channel',
    isKeyRejected: 'the vendor rejects the key',
    isVendorDown: 'the vendor is down',
    withoutValue: '{0} of {1} in the last hour have no value',
    withIssue: '{0} of {1} in the last hour, in {2}',
    withoutEvent: '{0} of {1} orders of the last day have no event',
    fallenShare: '{0%} of the events of a day have a match key; {1%} is usual',
    freeDisk: '{0%} of the server’s disk is free',
    slowDeliveries: '1 in 20 deliveries in the last hour took more than {0} seconds',
    waitingSince: 'the oldest has waited for {0} minutes',
    skippedShare: '{0%} of the deliveries of the last hour; {1%} is usual',
    refusedCalls: '{0} in the last hour, compared with {1} accepted events',
    repeatedEvents: '{0} repeats in the last hour, compared with {1} new events',
    newNames: '{0}',
  },
}

const german: AlertTexts = {
  verbs: { started: 'Beginnt', repeated: 'Dauert an', ended: 'Beendet', test: 'Test' },
  labels: {
    what: 'Was',
    first: 'Erstes Ereignis',
    last: 'Letztes Ereignis',
    rule: 'Regel',
    and: 'Und',
    open: 'Öffnen',
  },
  alerts: '{0} Meldungen',
  more: '{0} weitere',
  testTitle: 'eine Nachricht an {0}',
  testFact: 'So sehen Meldungen dieser Kontaktstelle aus. Es ist nichts passiert.',
  mailNote: 'Eine Kontaktstelle eines Teams sendet Ihnen das. Um nichts mehr zu bekommen: {0}',
  code: {
    subject: 'Bestätigen Sie diese Adresse für Meldungen',
    text: 'Ein Team möchte seine Meldungen an diese Adresse senden.',
    code: 'Geben Sie zur Bestätigung diesen Code auf der Seite Meldungen ein: {0}',
    note: 'Der Code gilt einen Tag. Wenn Sie ihn nicht erwarten, tun Sie nichts: Dann bekommt die Adresse keine Meldungen.',
  },
  phrases: {
    volumeDrop: '{0}: weniger Ereignisse als üblich',
    volumeDropOf: '{0}: weniger {1}-Ereignisse als üblich',
    volumeRise: '{0}: mehr Ereignisse als üblich',
    volumeRiseOf: '{0}: mehr {1}-Ereignisse als üblich',
    silence: '{0}: keine Ereignisse',
    silenceOf: '{0}: keine {1}-Ereignisse',
    failureRate: '{0}: Zustellungen scheitern: {1}',
    channelStopped: '{0}: steht still: {1}',
    valuesMissing: '{0}: Purchase-Ereignisse ohne Wert',
    valuesMissingOf: '{0}: {1}-Ereignisse ohne Wert',
    eventIssues: '{0}: Purchase-Ereignisse mit einem Mangel',
    eventIssuesOf: '{0}: {1}-Ereignisse mit einem Mangel',
    matchKeys: '{0}: weniger Abgleichschlüssel als üblich',
    ordersMissing: '{0}: Bestellungen ohne Ereignis',
    latency: '{0}: Zustellungen dauern lange',
    backlog: '{0}: Zustellungen warten: {1}',
    consentSkipped: '{0}: mehr als üblich entfällt mangels Einwilligung',
    callsRefused: '{0}: Ereignisse oder Aufrufe werden abgelehnt',
    duplicates: '{0}: Ereignisse kommen doppelt',
    newEventName: '{0}: ein neuer Name eines Ereignisses',
    disk: 'Die Platte des Servers ist fast voll',
    countOfHour: '{0} in der letzten Stunde; üblich sind {1}',
    countOfDay: '{0} am letzten Tag; üblich sind {1}',
    noneSince: 'keine seit {0} Minuten',
    failedDeliveries: '{0} von {1} Zustellungen der letzten Stunde sind gescheitert',
    isStopped: 'der Kanal steht still',
    isPaused: 'eine Person hat den Kanal angehalten',
    isKeyRejected: 'der Anbieter weist den Schlüssel ab',
    isVendorDown: 'der Anbieter ist nicht erreichbar',
    withoutValue: '{0} von {1} der letzten Stunde haben keinen Wert',
    withIssue: '{0} von {1} der letzten Stunde, in {2}',
    withoutEvent: '{0} von {1} Bestellungen des letzten Tages haben kein Ereignis',
    fallenShare: '{0%} der Ereignisse eines Tages haben einen Abgleichschlüssel; üblich sind {1%}',
    freeDisk: '{0%} der Platte des Servers sind frei',
    slowDeliveries: 'eine von zwanzig der letzten Stunde dauerte mehr als {0} Sekunden',
    waitingSince: 'die älteste wartet seit {0} Minuten',
    skippedShare: '{0%} der Zustellungen der letzten Stunde; üblich sind {1%}',
    refusedCalls: '{0} in der letzten Stunde, neben {1} angenommenen Ereignissen',
    repeatedEvents: '{0} Wiederholungen in der letzten Stunde, neben {1} neuen Ereignissen',
    newNames: '{0}',
  },
}

export const alertTexts: Readonly<Record<DashboardLanguage, AlertTexts>> = { en: english, de: german }

/** Fills in the placeholders of a template. A value is never read as a template. */
export const fillTemplate = (template: string, values: readonly (string | number)[], language: DashboardLanguage) =>
  template.replace(/\{(\d)(%?)\}/g, (_, at, isShare) => {
    const value = values[Number(at)] ?? ''
    if (!isShare) return `${value}`
    return `${(Math.round(Number(value) * 1_000) / 10).toLocaleString(language)} %`
  })

export const phrase = (name: PhraseName, ...values: (string | number)[]): AlertPhrase => ({ name, values })

/** A phrase that this version does not know, because another one stored it, is shown by its name. */
export const phraseText = ({ name, values }: AlertPhrase, language: DashboardLanguage): string =>
  fillTemplate(alertTexts[language].phrases[name as PhraseName] ?? name, values, language)
