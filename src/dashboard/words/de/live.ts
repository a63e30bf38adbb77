import type * as english from '../en/live.ts'
import { count, frequency, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

const refusals: Record<string, string> = {
  ORIGIN_REFUSED:
    'Diese Seite darf keine Ereignisse senden. Fügen Sie ihren Ursprung zu den erlaubten Ursprüngen des Tags hinzu.',
  JSON_BROKEN: 'Der Inhalt des Aufrufs ist kein JSON.',
  SERVER_TOKEN_REQUIRED: 'Der Tag nimmt Ereignisse von Servern nur mit einem Zugriffstoken an.',
  BAD_REQUEST: 'Ein Feld des Aufrufs fehlt oder ist falsch.',
  INTAKE_RATE_EXCEEDED: 'Das Team oder der Tag sendet mehr als erlaubt.',
}

const refusalNames: Record<string, string> = {
  ORIGIN_REFUSED: 'Ursprung nicht erlaubt',
  JSON_BROKEN: 'kein JSON',
  SERVER_TOKEN_REQUIRED: 'Zugriffstoken fehlt',
  BAD_REQUEST: 'Feld falsch oder fehlt',
  INTAKE_RATE_EXCEEDED: 'Grenze überschritten',
}

/** Texts of the live page. */
export const liveWords: Translated<typeof english.liveWords> = {
  states: {
    connecting: 'wird verbunden',
    open: 'verbunden',
    waiting: 'Verbindung verloren, neuer Versuch',
    closed: 'beendet',
  },
  paused: 'angehalten',
  resume: 'Fortsetzen',
  perSecond: (n) => `${frequency(n)} Ereignisse/s`,
  newRows: (n) => `${count(n)} neue`,
  refused: 'Aufruf abgewiesen',
  columns: {
    event: 'Ereignis oder Aufruf',
    result: 'Ergebnis',
    id: 'Ereignis-ID oder Anfrage',
    visitor: 'Besucher oder Absender',
    time: 'Empfangen',
  },
  run: 'Webhook-Aufruf',
  runError: (message, line) => (line === undefined ? message : `${message} (Zeile ${line})`),
  field: (field) => `Feld ${field}`,
  fieldText: (field) => `Das Feld ${field} des Aufrufs fehlt oder ist falsch. Von dem Aufruf wurde nichts gespeichert.`,
  refusalName: (code) => refusalNames[code] ?? code,
  refusalText: (code) => refusals[code] ?? 'Der Aufruf wurde abgewiesen. Von ihm wurde nichts gespeichert.',
  facts: { code: 'Kennung', field: 'Feld', call: 'Aufruf', origin: 'Ursprung', time: 'Zeit' },
  errorsPage: 'Alle Fehlerkennungen',
  noOrigin: 'ohne Origin',
  allow: 'Erlauben',
  allowed: 'Erlaubt',
  allowTitle: (origin) => `${origin} erlauben?`,
  allowText: 'Seiten dieses Ursprungs dürfen dann Ereignisse an den Tag senden. Andere bleiben abgewiesen.',
  summary: (added, failed) =>
    failed > 0
      ? `${plural(added, 'neues Ereignis', 'neue Ereignisse')}, ${count(failed)} gescheitert`
      : plural(added, 'neues Ereignis', 'neue Ereignisse'),
  emptyTitle: 'Wartet auf Ereignisse',
  empty:
    'Zeilen erscheinen hier, wenn es geschieht: Ereignisse mit der Entscheidung jedes Kanals und abgewiesene Aufrufe.',
  noMatch: 'Nichts von dem, was kam, passt zu diesen Filtern',
}
