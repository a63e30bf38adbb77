import type { FunnelGroup } from '../../chart/funnel.ts'
import type * as english from '../en/overview.ts'
import { ago, count, duration, frequency, list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const groups: Record<FunnelGroup, string> = {
  delivered: 'Zugestellt',
  notSent: 'Nicht gesendet',
  waiting: 'Wartend',
  failed: 'Gescheitert',
}
const sinceText = (since: string | undefined) => (since ? ` seit ${since}` : '')

/** Texts of the overviews and of charts. */
export const overviewWords: Translated<typeof english.overviewWords> = {
  range: 'Zeitraum',
  rangeName: {
    '1h': 'Letzte Stunde',
    '24h': 'Letzte 24 Stunden',
    '7d': 'Letzte 7 Tage',
    '30d': 'Letzte 30 Tage',
  },
  custom: 'Gewählter Zeitraum',
  compare: 'Mit vorher vergleichen',
  tagUrl: 'Tag-URL',
  copyTagUrl: 'Tag-URL kopieren',
  tiles: { events: 'Ereignisse', delivered: 'Zugestellt', answers: 'Antworten der Anbieter, p95', waiting: 'Wartend' },
  noBefore: 'Im Zeitraum davor kam nichts an, daher gibt es nichts zu vergleichen.',
  perMinute: (n) => `${frequency(n)} je Minute`,
  ofFinal: (failed) => (failed === 0 ? 'derzeit keine gescheitert' : `derzeit ${count(failed)} gescheitert`),
  oldest: (at, now) => `älteste ${duration(now - at)}`,
  nothingWaits: 'nichts wartet',
  p50: (ms) => `Median ${duration(ms)}`,
  noAnswers: 'nichts wurde gesendet',
  deliveries: 'Zustellungen nach Ergebnis',
  deliveriesNote:
    'Jedes Ergebnis zu dem Zeitpunkt, an dem es eintrat. Eine erneut gesendete Zustellung zählt noch einmal.',
  events: 'Empfangene Ereignisse',
  deploymentNamed: (name) => `Deployment ${name}`,
  intake: { accepted: 'Angenommen', duplicate: 'Doppelt', rejected: 'Verworfen', refused: 'Abgewiesene Aufrufe' },
  latency: 'Latenz',
  latencyKinds: { response: 'Antwort des Anbieters', delivery: 'Bis zur Zustellung' },
  percentiles: { p50Ms: 'Median', p95Ms: 'p95', p99Ms: 'p99' },
  failures: 'Fehlerquote nach Kanal',
  failuresNote: 'Abgelehnt oder aufgegeben, als Anteil am Abgeschlossenen.',
  noFailures: 'Nichts ist in diesem Zeitraum gescheitert.',
  waitingByChannel: 'Wartend nach Kanal',
  waitingOldest: (at, now) => `älteste ${ago(at, now)}`,
  chart: 'Diagramm',
  table: 'Tabelle',
  time: 'Zeit',
  groups,
  dragHint:
    'Ziehen Sie über das Diagramm, um den Zeitraum einzugrenzen. Mit der Tastatur: Pfeiltasten lesen einen Punkt, Enter grenzt auf ihn ein.',
  resetRange: 'Ganzer Zeitraum',
  noData: 'Nichts in diesem Zeitraum.',
  funnel: 'Wohin Ereignisse gingen',
  funnelNote:
    'Der jetzige Stand aller Zustellungen der Ereignisse dieses Zeitraums. Die Teile ergeben zusammen die Summe.',
  accepted: 'Angenommen',
  duplicate: (n) => `${count(n)} doppelt`,
  rejected: (n) => `${count(n)} verworfen`,
  refused: (n) => plural(n, 'Aufruf abgewiesen', 'Aufrufe abgewiesen'),
  planned: 'Geplant',
  plannedText: (channels) => `Zustellungen an ${plural(channels, 'Kanal', 'Kanäle')}`,
  columns: {
    rate: 'Zugestellt',
    p95: 'p95',
    waiting: 'Wartend',
    last: 'Letzter Fehler',
    trend: 'Verlauf',
  },
  noChannelsTitle: 'Noch kein Kanal',
  noChannels: 'Ein Kanal sendet die Ereignisse dieses Tags an einen Anbieter oder an einen eigenen Server.',
  keyRejected: (name, since, waiting) =>
    `${name}: Schlüssel abgelehnt${sinceText(since)}${waiting > 0 ? `, ${plural(waiting, 'Ereignis wartet', 'Ereignisse warten')}` : ''}.`,
  vendorDown: (name, since) => `${name}: Der Anbieter antwortet nicht${sinceText(since)}.`,
  throttled: (name) => `${name}: Der Anbieter verlangt weniger Anfragen.`,
  failing: (name, { delivered, failed, runs, failedRuns }) =>
    `${name}: ${list([
      ...(failed > 0 ? [`${count(failed)} von ${plural(delivered + failed, 'Zustellung', 'Zustellungen')}`] : []),
      ...(failedRuns > 0 ? [`${count(failedRuns)} von ${plural(runs, 'Aufruf', 'Aufrufen')}`] : []),
    ])} in der letzten Stunde gescheitert.`,
  drafts: (n) => `${plural(n, 'Änderung ist', 'Änderungen sind')} gespeichert und nicht live.`,
  needsAction: 'Zu tun',
  seeErrors: 'Fehler ansehen',
  checklist: 'Erste Schritte',
  checklistNote: 'Bis das erste Ereignis zugestellt ist.',
  steps: {
    password: ['Passwort setzen', 'Damit Sie sich ohne den Link des Betreibers wieder anmelden können.'],
    snippet: ['Snippet einbauen', 'Ihre Website oder Ihr Server beginnt, Ereignisse zu senden.'],
    channel: ['Kanal hinzufügen', 'Wohin Ereignisse gehen.'],
    delivered: ['Zustellung eines Ereignisses sehen', 'Senden Sie ein Testereignis, oder nutzen Sie Ihre Website.'],
  },
  stepDone: 'erledigt',
  stepOpen: 'offen',
  healthOf: (n, all, word) => (n === all ? word : `${count(n)} von ${count(all)} ${word}`),
  teamTitle: 'Ihre Tags',
  teamNote: 'Ein Tag ist eine Website oder App mit eigenem Endpunkt für Ereignisse.',
  noTagsTitle: 'Noch kein Tag',
  noTags:
    'Ein Tag ist eine Website oder App mit eigenem Endpunkt für Ereignisse. Der erste Start legt einen namens „demo“ an; weitere legen Kommandozeile und API an.',
}
