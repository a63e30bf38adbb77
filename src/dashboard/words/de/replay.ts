import type * as english from '../en/replay.ts'
import { count, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of replays. */
export const replayWords: Translated<typeof english.replayWords> = {
  intro: 'Zählen Sie zuerst, was gesendet würde. Das Zählen sendet nichts.',
  range: 'Ereignisse empfangen',
  from: 'von',
  to: 'bis',
  statuses: 'Welche Zustellungen',
  status: {
    dead: 'gescheiterte',
    refused: 'abgelehnte',
    skipped: 'nicht gesendete',
    simulated: 'simulierte',
    delivered: 'zugestellte',
  },
  deliveredWarning: 'Der Anbieter zählt schon zugestellte Ereignisse vielleicht doppelt.',
  count: 'Zählen',
  counting: 'Wird gezählt …',
  start: (n) => `${plural(n, 'Zustellung', 'Zustellungen')} erneut senden`,
  nothing: 'Nichts würde gesendet.',
  matched: (n) => `${plural(n, 'Zustellung passt', 'Zustellungen passen')}`,
  sentAgain: (n) => `${count(n)} erneut gesendet`,
  state: {
    dryRun: 'gezählt',
    queued: 'eingereiht',
    running: 'liest Ereignisse',
    sending: 'sendet',
    done: 'fertig',
    stopping: 'hält an',
    stopped: 'angehalten',
  },
  progress: (done, of) => `${count(done)} von ${count(of)}`,
  stop: 'Anhalten',
  partial: 'Noch sind nicht alle Ereignisse gelesen; die Zahlen wachsen.',
  wouldSend: 'Erneut gesendet',
  leftOut: 'Ausgelassen',
}
