import type * as english from '../en/replayPages.ts'
import { list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the pages of replays. */
export const replayPageWords: Translated<typeof english.replayPageWords> = {
  newTitle: 'Ereignisse erneut senden',
  names: 'Ereignisnamen',
  namesHint: 'Durch Kommas getrennt. Leer bedeutet alle.',
  channelsHint: 'Keiner gewählt bedeutet alle.',
  noneTitle: 'Noch wurde nichts erneut gesendet',
  none: 'Ereignisse, die ein Kanal nicht angenommen hat, lassen sich erneut senden: oben auswählen und zuerst zählen.',
  noneViewer: 'Ereignisse, die ein Kanal nicht angenommen hat, kann ein Bearbeiter oder ein Inhaber erneut senden.',
  columns: { when: 'Begonnen', who: 'Von', what: 'Zustellungen', state: 'Zustand', range: 'Ereignisse empfangen' },
  what: (statuses, names) => (names ? `${list(statuses)}, von ${list(names)}` : list(statuses)),
  title: (at) => `Wiederholung vom ${at}`,
  progress: 'Fortschritt',
  outcome: 'Ergebnis nach Kanal',
  byChannel: { channel: 'Kanal', matched: 'Passend', replayed: 'Erneut gesendet', left: 'Ausgelassen', now: 'Jetzt' },
  stopTitle: 'Diese Wiederholung anhalten?',
  stopText: 'Gesendetes bleibt gesendet. Nicht Gesendetes behält den Status, den es hatte.',
  again: 'Noch einmal mit diesem Filter',
  facts: {
    by: 'Von',
    range: 'Ereignisse empfangen',
    statuses: 'Zustellungen',
    names: 'Ereignisnamen',
    ended: 'Beendet',
  },
  all: 'alle',
  reading: (matched) =>
    `${plural(matched, 'Zustellung passt', 'Zustellungen passen')} bisher; es werden noch Ereignisse gelesen.`,
}
