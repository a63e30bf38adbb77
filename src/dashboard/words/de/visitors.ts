import type * as english from '../en/visitors.ts'
import { count, list, moment, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const searched = {
  users: 'gespeicherte Besucher',
  claims: 'Adressen, die Besucher angaben',
  customData: 'eigene Daten der Besucher',
  events: 'Inhalte der Ereignisse',
}

/** Texts of visitors. */
export const visitorWords: Translated<typeof english.visitorWords> = {
  intro:
    'Finden Sie, was über eine Person bekannt ist, um eine Auskunft zu geben oder sie zu löschen. Jeder Blick wird protokolliert.',
  find: 'Besucher suchen',
  by: 'Nach',
  bys: { email: 'E-Mail', userId: 'Besucher-ID', key: 'Eigene Daten' },
  userId: 'Besucher-ID',
  key: 'Schlüssel',
  keyHint: 'customerId oder ein Name in den eigenen Daten von Besuchern.',
  submit: 'Suchen',
  found: (n) => plural(n, 'Besucher', 'Besucher'),
  nobodyTitle: 'Niemand ist hierunter bekannt',
  nobody: 'Prüfen Sie die Schreibweise. Ein gelöschter Besucher wird nicht gefunden.',
  searched: (what, eventsFrom, zone) =>
    `Durchsucht: ${list(what.map((each) => searched[each]))}${eventsFrom === undefined ? '' : `, zurück bis ${moment(eventsFrom, zone)}`}.`,
  searchOlder: 'Ältere Ereignisse durchsuchen',
  fromEvent: 'nur in einem Ereignis',
  eraseAll: (n) => (n === 1 ? 'Löschen' : `Alle ${count(n)} löschen`),
  eraseAllTitle: (n) => `${plural(n, 'Besucher', 'Besucher')} löschen?`,
  eraseOlder:
    'Ältere Ereignisse wurden nicht durchsucht. Durchsuchen Sie sie zuerst, wenn alles zu dieser Adresse gelöscht werden soll.',
  crowded: 'Mehr Besucher haben diese E-Mail, als nachgeschlagen werden; sie stehen daher nicht hier.',
  shared:
    'Ihr Server hat mit dieser Kundennummer in 30 Tagen mehr als zehn E-Mails geschickt. Sie gehört keiner einzelnen Person und verbindet daher niemanden.',
  confirmed: 'von einem vertrauten Aufruf',
  seen: 'Zuletzt gesehen',

  title: 'Ein Besucher',
  known: 'Was bekannt ist',
  keys: 'Identität',
  custom: 'Eigene Daten',
  captured: 'Click-IDs und Cookies',
  capturedSince: 'zuerst gesehen',
  nothing: 'Nichts ist außer den Ereignissen gespeichert.',
  place: 'Letzter Ort',
  session: 'Sitzung',
  noConsent: 'Keine wurde erteilt. Kanäle, die eine brauchen, erhalten nichts, wenn der Tag nach Einwilligung fragt.',
  consentGiven: 'erteilt',
  everything: 'Alles',
  categories: 'Nach Kategorie',
  purposes: 'Nach Dienst',
  yes: 'zugestimmt',
  no: 'abgelehnt',
  history: 'In den Ereignissen',
  older: (n) => plural(n, 'ältere Änderung', 'ältere Änderungen'),
  historyHint:
    'Die Einwilligungen, die die geladenen Ereignisse trugen. Ein Ereignis ohne eigene behält die, die dafür galt: Öffnen Sie es, um sie zu sehen.',
  noEvents: 'Keine Ereignisse sind aufbewahrt',
  more: 'Weitere Ereignisse laden',
  exporting: 'Wird gesammelt …',
  erase: 'Löschen',
  eraseTitle: 'Diesen Besucher löschen?',
  eraseText:
    'Löscht, was bekannt ist, und jedes Ereignis, auch solche, die auf einen Kanal warten. Was Anbieter schon haben, bleibt bei ihnen. Das lässt sich nicht zurücknehmen.',
  eraseConfirm: (userId) => `Zum Löschen ${userId} eingeben`,
  erased: (events) => `Gelöscht, mit ${plural(events, 'Ereignis', 'Ereignissen')}.`,
  erasedTitle: 'Dieser Besucher ist gelöscht',
}
