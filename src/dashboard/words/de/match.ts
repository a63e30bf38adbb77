import type { MatchCoverage, MatchFindingCode } from '#contract/matchQuality.ts'
import type { MatchSource } from '#contract/matchSources.ts'
import type * as english from '../en/match.ts'
import { count, frequency, plural, rate } from '../format.ts'
import type { Translated } from '../translated.ts'

const coverages: Record<MatchCoverage, string> = { good: 'gut', fair: 'mittel', poor: 'schwach' }
const sources: Record<MatchSource, string> = { browser: 'Browser', server: 'Server' }
const findings: Record<MatchFindingCode, string> = {
  EMPTY_HASH: 'Der Hash eines leeren Textes. Lassen Sie das Feld weg, wenn der Wert fehlt.',
  PLACEHOLDER_HASH: 'Ein Platzhalter wie null oder unknown. Lassen Sie das Feld weg, wenn der Wert fehlt.',
  DOUBLE_HASH: 'Zweimal gehasht. Hashen Sie den Wert einmal, oder senden Sie ihn, wie er ist.',
  PHONE_WITHOUT_COUNTRY:
    'Eine Telefonnummer ohne Ländervorwahl. Senden Sie +49…, oder setzen Sie das Standardland des Tags.',
  CLICK_ID_MALFORMED:
    'Eine beschädigte Klick-ID. Erhalten Sie Groß- und Kleinschreibung; prüfen Sie Weiterleitungen, die die Adresse ändern.',
  CLICK_ID_OLD: 'Ein Klick, der älter als 90 Tage ist. Lesen Sie das Cookie dieses Besuchs.',
  SERVER_ADDRESS_SENT: 'Die IP-Adresse Ihres Servers. Senden Sie die des Käufers.',
  PRIVATE_ADDRESS: 'Eine private IP-Adresse. Lesen Sie die des Käufers aus dem Header Ihres Proxys oder CDNs.',
  USER_AGENT_OF_A_SERVER: 'Der User-Agent eines Programms. Senden Sie den des Browsers des Käufers.',
  SHARED_IDENTIFIER:
    'Ein Wert an Ereignissen vieler Besucher. Senden Sie den jedes Besuchers; prüfen Sie, dass kein Cache ihn speichert.',
  VALUE_ZERO: 'Kein Wert über 0. Senden Sie data.value als Zahl, ohne Währungszeichen.',
  CURRENCY_MISSING: 'Keine Währung. Senden Sie data.currency als drei Buchstaben, etwa EUR.',
  TIME_UNIT: 'Ein Cookie, dessen Zeit in Sekunden steht. Es müssen Millisekunden sein.',
  FOREIGN_PAGE:
    'Eine Seite, die nicht zu Ihrem Shop gehört. Senden Sie die richtige, oder erlauben Sie die Domain in den Tag-Einstellungen.',
  DEDUP_KEY_MISSING: 'Keine Bestellnummer. Senden Sie data.orderId mit jedem Kauf, damit Anbieter ihn einmal zählen.',
  BROWSER_AND_SERVER_DIFFER:
    'Browser und Server haben für ein Ereignis verschiedene Werte gesendet. Senden Sie von beiden dieselben.',
}

export const matchWords: Translated<typeof english.matchWords> = {
  intro:
    'Welche Schlüssel zur Zuordnung jeder Anbieter mit den zugestellten Ereignissen bekam, und wodurch er weniger Menschen findet.',
  allEvents: 'Alle Ereignisse',
  noChannelsTitle: 'Kein Kanal hat Schlüssel zur Zuordnung',
  noChannels: 'Veröffentlichen Sie einen Kanal eines Anbieters, der Menschen zuordnet, etwa Meta oder Google Ads.',
  noEvents: 'In diesem Zeitraum wurde nichts zugestellt.',
  coverage: (coverage) => `Abdeckung ${coverages[coverage]}`,
  summary: (share, events) =>
    `${rate(share)} von ${plural(events, 'zugestelltem Ereignis', 'zugestellten Ereignissen')} mit einem starken Schlüssel`,
  sources: (browser, server) => `${count(browser)} von Browsern, ${count(server)} von Servern`,
  columns: { key: 'Schlüssel', strength: 'Stärke', share: 'Anteil', faulty: 'Fehlerhaft' },
  source: (source) => sources[source],
  strength: { strong: 'stark', medium: 'mittel', weak: 'schwach' },
  keys: (channel) => `Schlüssel von ${channel}`,
  findings: (channel) => `Befunde von ${channel}`,
  finding: (code) => findings[code],
  ofEvents: (share) => `bei ${rate(share)}`,
  example: 'Ein Beispiel zeigen',
  noFindings: 'An den Schlüsseln dieser Ereignisse ist nichts falsch.',
  vendor: {
    title: (channel) => `Eigene Bewertung des Anbieters von ${channel}`,
    score: (score, of) => `${frequency(score)} von ${count(of)}`,
    notAsked: 'Der Anbieter hat eine eigene Bewertung. Er wird mit dem Zugriffstoken des Kanals gefragt.',
    ask: 'Anbieter fragen',
    asked: 'Gefragt',
    columns: { event: 'Ereignis beim Anbieter', score: 'Bewertung', coverage: 'Von beiden gesendet' },
    noEvents: 'Der Anbieter hat noch kein Ereignis bewertet.',
    errors: {
      TOKEN_REFUSED: 'Der Anbieter lehnt ab: Das Zugriffstoken darf die Qualität dieses Datasets nicht lesen.',
      VENDOR_DOWN: 'Der Anbieter antwortet gerade nicht. Versuchen Sie es in einer Minute wieder.',
      ANSWER_UNKNOWN: 'Der Anbieter hat in einer unbekannten Form geantwortet.',
    },
  },
  own: 'Eine Zahl von Aglet, keine Bewertung des Anbieters.',
}
