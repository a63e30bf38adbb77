import type * as english from '../en/notLive.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts for saved values that are not live. */
export const notLiveWords: Translated<typeof english.notLiveWords> = {
  mark: 'noch nicht live',
  title: (n) => `${plural(n, 'gespeicherter Wert ist', 'gespeicherte Werte sind')} noch nicht live.`,
  neverLive: 'Dieser Kanal ist gespeichert, war aber noch nie live. Er erhält keine Ereignisse.',
  saved: 'Gespeichert',
  live: 'Live geschaltet',
  providerDefault: 'Vorgabe des Anbieters',
  changed: 'geändert',
  difference: 'Unterschied ansehen',
  deploy: 'Live schalten',
  deployTitle: 'Gespeichertes live schalten?',
  deployText:
    'Diese Änderungen gelten ab dem nächsten Ereignis. Das jetzige Deployment kann jederzeit wieder live geschaltet werden.',
  discard: 'Verwerfen',
  discardTitle: 'Nicht live geschaltete Änderungen verwerfen?',
  discardText:
    'Die gespeicherten Einstellungen werden wieder die, die live sind. Kanäle, die noch nie live waren, bleiben unverändert.',
  nothing: 'Nichts steht aus. Alles Gespeicherte ist live.',
}
