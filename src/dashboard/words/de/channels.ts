import type * as english from '../en/channels.ts'
import { count, list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const categories: Record<string, string> = {
  advertising: 'Werbung',
  analytics: 'Statistik',
  functional: 'Funktionen',
  necessary: 'Notwendig',
}

/** Texts of the channel pages and of the channel form. */
export const channelWords: Translated<typeof english.channelWords> = {
  addNamed: (provider) => `${provider} hinzufügen`,
  search: 'Anbieter suchen',
  searchHint: 'Ein Name, „ga4“, „E-Mail“, „Conversions API“',
  kind: {
    advertising: 'Anzeigen',
    analytics: 'Analyse',
    messaging: 'E-Mail, SMS und CRM',
    affiliate: 'Affiliates und Partner',
    app: 'App-Attribution',
    data: 'Datenströme und Data Warehouses',
    own: 'Eigener Code',
  },
  noProvider: 'Kein Anbieter passt',
  documentation: 'Dokumentation',
  where: 'Wo finde ich meine Schlüssel?',
  vendorPage: 'Seite des Anbieters',
  settings: 'Einstellungen',
  secretsTitle: 'Verbindung',
  credentials: 'Zugangsdaten: eine dieser Arten',
  helpLink: 'Wo finde ich das?',
  show: 'Zeigen',
  hide: 'Verbergen',
  sealedNote: 'Wird in diesem Browser versiegelt, bevor es gesendet wird.',
  isSet: 'gesetzt',
  setSince: (when) => `gesetzt ${when}`,
  replace: 'Ersetzen',
  keep: 'Gespeichertes behalten',
  noCrypto:
    'Diese Seite ist nicht über https geladen, daher kann der Browser nicht versiegeln. Versiegeln Sie den Wert mit diesem Befehl und fügen Sie dessen Ausgabe ein:',
  sealedEntry: 'Versiegelter Eintrag (JSON)',
  sealedBroken: 'Das ist kein versiegelter Eintrag für dieses Feld.',
  consent: 'Nötige Einwilligung',
  category: (name) => categories[name] ?? name,
  regionsHint: 'Ein Land, EU, EEA oder ein Landesteil wie US-CA.',
  regionsText: 'Als Text',
  regionsExample: 'EU,US,-US-CA',
  regionSearch: 'Region hinzufügen',
  include: (name) => `Nur aus ${name}`,
  exclude: (name) => `Nicht aus ${name}`,
  not: 'nicht',
  regionGroups: { EU: 'die EU', EEA: 'der EWR' },
  regionSentence: (include, exclude) => {
    const from = include.length > 0 ? `Gesendet wird aus: ${list(include)}` : 'Gesendet wird von überall'
    return exclude.length > 0 ? `${from}; ausgenommen: ${list(exclude)}.` : `${from}.`
  },
  valueMode: 'Wert von Käufen',
  valueModes: { gross: 'Brutto, mit Steuer und Versand', net: 'Netto, ohne beides' },
  saving: 'Wird gespeichert …',
  missing: 'ist erforderlich',
  mendFields: (n) => `${plural(n, 'Feld ist', 'Felder sind')} zu prüfen.`,
  changedTitle: 'Jemand anderes hat diesen Kanal geändert',
  unknownProvider: 'Diesen Anbieter gibt es nicht.',

  tryTitle: 'Ausprobieren',
  tryNote: 'Mit dem Formular, wie es ist, gespeichert oder nicht.',
  fillFirst: 'Füllen Sie zuerst die erforderlichen Felder aus.',
  previewRun: 'Vorschau',
  testNote:
    'Die Vorschau sendet nichts. Ein Test sendet dem Anbieter ein echtes Ereignis mit erteilter Einwilligung; hier wird es nicht gezählt.',
  testRun: 'Testereignis senden',
  previewed: 'Diese Anfrage würde gesendet.',
  nothingSent: 'Nichts würde gesendet.',
  tested: (status, took) => `HTTP ${status} nach ${took}`,

  // One channel
  nextTry: 'Nächster Versuch',
  waiting: 'Wartend',
  held: 'Wartet auf Einwilligung',
  oldest: 'Älteste',
  lastDelivered: 'Zuletzt zugestellt',
  provider: 'Anbieter',
  matchKeysFact: 'Findet eine Person durch',
  matchKeys: (groups) =>
    groups
      .map((keys) => keys.map(({ vendorKey }) => vendorKey).join(', '))
      .filter(Boolean)
      .join('; weniger sicher durch '),
  never: 'nie',
  resume: 'Fortsetzen',
  replayFailed: 'Gescheiterte erneut senden',
  removeText:
    'Er wird sofort vom Tag entfernt. Bisherige Zustellungen bleiben bei den Ereignissen, wartende werden aufgegeben.',
  errors: 'Fehler',
  errorsNote:
    'Zustellungen der letzten sieben Tage, die gescheitert sind oder wegen eines Fehlers warten, nach Meldung.',
  noErrors: 'Keine Fehler',
  errorLast: 'Zuletzt',
  errorMessage: 'Meldung',
  noMessage: 'ohne Meldung',
  stateText: {
    ok: 'Er nimmt Ereignisse an.',
    paused: 'Eine Person hat ihn angehalten. Seine Ereignisse warten.',
    keyRejected:
      'Der Anbieter lehnt den Schlüssel ab. Die Ereignisse warten; mit einem neuen Schlüssel gehen sie hinaus.',
    vendorDown:
      'Der Anbieter antwortet nicht oder mit Fehlern. Die Ereignisse warten und werden von selbst erneut versucht.',
    throttled: 'Der Anbieter verlangt weniger Anfragen. Die Ereignisse gehen langsamer hinaus.',
    draft: 'Er ist gespeichert und nicht live. Schalten Sie ihn live, um ihm Ereignisse zu senden.',
  },
  healthText: {
    waiting: 'Zustellungen warten seit mehr als einer Minute.',
    ok: 'Er arbeitet: Weniger als ein Zehntel der letzten Stunde ist gescheitert.',
    quiet: 'In der letzten Stunde wurde nichts gesendet.',
  },
  failedDeliveries: (failed, all) =>
    `${count(failed)} von ${plural(all, 'Zustellung', 'Zustellungen')} der letzten Stunde gescheitert.`,
  failedRuns: (failed, all) =>
    `${count(failed)} von ${plural(all, 'Aufruf', 'Aufrufen')} der letzten Stunde gescheitert.`,
  p95: 'Antwort des Anbieters, p95',
  needs: 'Ein Ereignis braucht eines von',
  addressNote: 'Andere Systeme senden eine POST-Anfrage an diese Adresse. Jeder Aufruf führt den Code aus.',
  hasToken: 'Aufrufe brauchen den Header Authorization: Bearer mit dem Token dieses Kanals.',
  isPublic: 'Öffentlich: Wer diese Adresse kennt, kann den Code ausführen.',
  setToken: 'Token setzen',
  runs: 'Aufrufe',
  runsNote:
    'Die Aufrufe der letzten sieben Tage, der neueste zuerst. Ein Aufruf scheitert mit einem Fehler oder einem Status ab 500.',
  noRuns: 'Noch kein Aufruf',
  noRunsText: 'Senden Sie eine POST-Anfrage an die Adresse oben. Aufruf, Logs und Ergebnis erscheinen hier.',
  runLine: (line, column) => (column === undefined ? `Zeile ${line}` : `Zeile ${line}, Spalte ${column}`),
  runMade: (events) => plural(events, 'Ereignis', 'Ereignisse'),
  runRequest: 'Anfrage',
  runHidden: 'Die Anfrage sehen nur Personen, die Daten von Besuchern lesen dürfen.',
  runLogs: 'Ausgaben',
  runNoLogs: 'Der Code hat nichts ausgegeben.',
  runEvents: (n) => `${plural(n, 'Ereignis', 'Ereignisse')} aus diesem Aufruf:`,
  moreRuns: 'Ältere Aufrufe',
  replaceTitle: (field, channel) => `${field} von ${channel}`,
  replaceWhy: (when, message) =>
    `Der Anbieter hat den jetzigen Schlüssel ${when} abgelehnt${message ? `: ${message}` : '.'}`,
  replaceTry: 'Prüfen und speichern',
  replaceTryNote:
    'Mit dem neuen Wert wird ein Testereignis gesendet. Gespeichert und live geschaltet wird er nur, wenn der Anbieter es annimmt.',
  replaceNoTry: 'Der neue Wert wird gespeichert und live geschaltet.',
  replaceFailed: 'Der Anbieter hat das Testereignis nicht angenommen. Nichts wurde gespeichert.',
  replaceAnyway: 'Trotzdem speichern',
  replaceAll: 'Alle Einstellungen',
}
