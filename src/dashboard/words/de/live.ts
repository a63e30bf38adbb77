import type * as english from '../en/live.ts'
import { count, frequency, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the live page. */
export const liveWords: Translated<typeof english.liveWords> = {
  states: {
    connecting: 'wird verbunden',
    open: 'beobachtet',
    waiting: 'Verbindung verloren, neuer Versuch',
    closed: 'beendet',
  },
  paused: 'angehalten',
  pause: 'Anhalten',
  resume: 'Fortsetzen',
  perSecond: (n) => `${frequency(n)} Ereignisse/s`,
  newRows: (n) => `${count(n)} neue`,
  refused: 'Aufruf abgewiesen',
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
  stopped: 'Das Beobachten ist beendet.',
  again: 'Wieder beobachten',
}
