import type { ConsentTrace, Place, UnusedKey } from '#contract/journey.ts'
import type * as english from '../en/events.ts'
import { count, list, moment, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const consentSources: Record<ConsentTrace['source'], string> = {
  event: 'mit dem Ereignis gesendet',
  stored: 'vom Besucher selbst',
  none: 'keine erteilt',
  disabled: 'von diesem Tag nicht verlangt',
}
const consentStates: Record<NonNullable<ConsentTrace['state']>, string> = {
  agreed: 'zugestimmt',
  refused: 'abgelehnt',
  unanswered: 'noch nicht beantwortet',
}
const placeSources: Record<Place['source'], string> = {
  request: 'aus der Anfrage',
  payload: 'aus dem Ereignis',
  user: 'zuletzt bekannt',
  unknown: 'nicht bekannt',
}
const unusedReasons: Record<UnusedKey['reason'], string> = {
  missing: 'an seiner Stelle steht ein Text wie null oder unknown',
  countryUnknown: 'die Nummer hat keine Landesvorwahl, und kein Land ist bekannt',
  invalid: 'der Wert ist nicht gültig',
}

/** Texts of the pages of events and deliveries. */
export const eventWords: Translated<typeof english.eventWords> = {
  columns: {
    time: 'Empfangen',
    event: 'Ereignis',
    id: 'Ereignis-ID',
    visitor: 'Besucher',
    result: 'Zustellungen',
    channel: 'Kanal',
    status: 'Status',
    answer: 'Antwort',
  },
  filter: {
    name: 'Ereignisname',
    reason: 'Grund',
    allChannels: 'Alle Kanäle',
    visitorPlaceholder: 'Besucher-ID',
    order: 'Bestellnummer',
    customer: 'Kundennummer',
    http: 'HTTP-Status',
    httpPlaceholder: '400,429',
    from: 'Von',
    more: 'Weitere Filter',
    jump: 'Zu Zeitpunkt springen',
    jumpTo: (at, zone) => `Bis ${moment(at, zone)}`,
    jumpGo: 'Springen',
    jumpNow: 'Zurück zu jetzt',
    jumps: { hour: 'Vor einer Stunde', day: 'Gestern um diese Zeit', week: 'Vor einer Woche' },
  },
  views: {
    title: 'Ansichten',
    none: 'Setzen Sie Filter und speichern Sie sie hier unter einem Namen.',
    name: 'Name der Ansicht',
    save: 'Speichern',
    remove: (name) => `Ansicht ${name} entfernen`,
  },
  select: (id) => `${id} auswählen`,
  selected: (n) => `${count(n)} ausgewählt`,
  clearSelection: 'Auswahl aufheben',
  noEventsTitle: 'Noch keine Ereignisse',
  noEvents: 'Ereignisse erscheinen hier, sobald Ihre Website oder Ihr Server sie sendet.',
  install: 'Snippet einbauen',
  noMatch: 'Kein Ereignis passt zu diesen Filtern',
  noDeliveryMatch: 'Keine Zustellung passt zu diesen Filtern',
  noDeliveriesTitle: 'Noch keine Zustellungen',
  noDeliveries: 'Aus jedem Ereignis wird eine Zustellung für jeden Kanal des Tags.',
  deletedEvent: 'nach der Aufbewahrungsfrist gelöscht',
  sendAgainMatching: 'Erneut senden …',
  sendAgainTooNarrow:
    'Beim erneuten Senden lässt sich nicht nach Grund, HTTP-Status, Besucher, Bestellung oder Kunde filtern. Entfernen Sie diese Filter oder wählen Sie Ereignisse in deren Liste aus.',

  // One event
  eventUnknownTitle: 'Dieses Ereignis gibt es nicht',
  eventUnknown:
    'Dieser Tag kennt kein Ereignis mit dieser Kennung. Vielleicht kam es nicht an, oder es ist älter als die Aufbewahrungsfrist.',
  previous: 'Voriges Ereignis',
  next: 'Nächstes Ereignis',
  repeats: 'Wiederholungen',
  caller: 'Gesendet von',
  callers: { trusted: 'einem Server mit Token', untrusted: 'einem Browser oder einer App' },
  sameId: 'Ein Ereignis mit derselben Kennung kam von der anderen Art von Absender.',
  showOther: 'Das andere zeigen',
  journey: 'Weg des Ereignisses',
  steps: {
    accepted: 'Angenommen',
    place: 'Ort',
  },
  pluginFiltered: (name) => `„${name}“ hat das Ereignis ausgefiltert: Kein Kanal erhält es.`,
  pluginAdded: (name, events) => `„${name}“ hat ${list(events)} hinzugefügt.`,
  pluginChanged: (name, fields) => `„${name}“ hat ${list(fields)} geändert.`,
  pluginUnchanged: (name) => `„${name}“ hat nichts geändert.`,
  noPlugins: 'Kein Plugin hat es geändert.',
  joinedBy: {
    email: (userId) => `über die E-Mail mit ${userId} verbunden`,
    customerId: (userId) => `über die Kundennummer mit ${userId} verbunden`,
  },
  consentText: ({ source, at, state }, zone) =>
    [
      state && consentStates[state],
      at === undefined ? consentSources[source] : `${consentSources[source]}, seit ${moment(at, zone)}`,
    ]
      .filter(Boolean)
      .join(' · '),
  hasGpc: 'Der Browser hat Global Privacy Control gesendet.',
  consentJoined: 'Auch die Einwilligung anderer Besucher mit derselben E-Mail wurde angewandt.',
  placeText: ({ country, region, source }) => {
    const where = [country, region].filter(Boolean).join(' · ')
    return where ? `${where}, ${placeSources[source]}` : placeSources.unknown
  },
  noChannels: 'Der Tag hatte keinen Kanal, als dieses Ereignis kam.',
  attempt: (n, of) => `Versuch ${n} von ${of}`,
  earlierAttempts: (count) => `Frühere Versuche (${count})`,
  noAnswer: 'keine Antwort',
  http: (status) => `HTTP ${status}`,
  nextTry: (text) => `Nächster Versuch ${text}`,
  request: 'Anfrage',
  response: 'Antwort',
  batched: 'Diese Anfrage enthielt mehrere Ereignisse. Gezeigt wird nur dieses.',
  wholeRequest: 'Ganze Anfrage zeigen',
  ownOnly: 'Nur dieses Ereignis zeigen',
  curl: 'Als curl',
  struckOut:
    'Punkte ersetzen Geheimnisse und personenbezogene Daten; sie wurden vor dem Speichern geschwärzt. Gehashte Werte bleiben.',
  exchangesNotStored: 'Die Anfragen wurden nicht gespeichert: Dieser Server speichert nicht jeden Versuch.',
  exchangesGone: 'Die Anfragen sind nach der Aufbewahrungsfrist gelöscht; das Ergebnis bleibt.',
  bodyGone: 'Der Inhalt dieser Anfrage wurde nicht gespeichert.',
  noExchanges: 'An diesen Kanal wurde nichts gesendet.',
  asReceived: 'Wie empfangen',
  asSent: 'Nach den Plugins',
  payloadGone: 'Der Inhalt des Ereignisses ist nach der Aufbewahrungsfrist gelöscht; seine Zustellungen bleiben.',
  payloadErased: 'Der Besucher wurde gelöscht und mit ihm der Inhalt dieses Ereignisses.',
  erasedEvent:
    'Der Besucher dieses Ereignisses wurde gelöscht. Nur die Ergebnisse seiner Zustellungen bleiben; es kann nicht erneut gesendet werden.',
  exchangesErased: 'Der Besucher wurde gelöscht und mit ihm die Anfragen.',
  redacted: 'Ihre Rolle darf den Inhalt von Ereignissen nicht lesen.',
  sendAgainTo: (channel) => `Erneut senden an ${channel}`,
  sendAgainTitle: 'Dieses Ereignis erneut senden?',
  sendAgainDelivered: (channel) =>
    `${channel} hat dieses Ereignis schon angenommen. Erneut gesendet zählt es dort vielleicht doppelt, außer der Anbieter verwirft Wiederholungen nach der Ereignis-ID.`,
  sendAgainStarted: 'Es wird erneut gesendet.',
  sendAgainNothing: (reason) =>
    reason ? `Nichts wird erneut gesendet: ${reason}.` : 'Es gibt nichts mehr erneut zu senden.',
  tryToday: 'Heutige Einstellungen testen',
  tryTodayTitle: 'Mit den heutigen Einstellungen',
  tryTodayNote:
    'Was geschähe, wenn dieses Ereignis jetzt käme, nach allem Gespeicherten, auch Entwürfen. Nichts wird gesendet. Der Ort ist der zuletzt bekannte des Besuchers.',
  tryTodayRedacted:
    'Dafür brauchen Sie das Recht, Besucher zu sehen: Personenbezogene Daten dieses Ereignisses sind geschwärzt.',
  before: 'Damals',
  today: 'Heute',
  wouldBeSent: 'würde gesendet',
  noSuchChannelThen: 'gab es nicht',
  noSuchChannelNow: 'gelöscht',
  openChannel: 'Kanal öffnen',
  warnings: (n) => plural(n, 'Warnung', 'Warnungen'),
  unusedKey: (key, reason) => `Kein Kanal erhält ${key}: ${unusedReasons[reason]}.`,
  copyId: 'Ereignis-ID kopieren',
}
