import type * as english from '../en/plugins.ts'
import type { Translated } from '../translated.ts'

/** Texts of plugins. */
export const pluginWords: Translated<typeof english.pluginWords> = {
  intro: 'Sie verarbeiten jedes Ereignis vor den Kanälen, in dieser Reihenfolge.',
  chain: 'In dieser Reihenfolge',
  noneTitle: 'Keine Plugins',
  none: 'Ereignisse gehen an die Kanäle, wie sie kommen. Fügen Sie ein Plugin hinzu, um sie vorher zu filtern, umzubenennen oder umzurechnen.',
  add: 'Plugin hinzufügen',
  up: (name) => `${name} nach oben`,
  down: (name) => `${name} nach unten`,
  noSettings: 'Es hat keine Einstellungen.',
  try: 'An einem Ereignis ausprobieren',
  tryNote: 'Mit den Plugins, wie sie hier stehen, gespeichert oder nicht. Nichts wird gesendet.',
  tryRun: 'Ausprobieren',
  tryResult: 'Das Ereignis nach den Plugins',
  yesNo: { true: 'ja', false: 'nein' },
  linesHint: 'Einer in jeder Zeile.',
  jsonHint: 'Als JSON.',
  required: 'Erforderlich.',
  changed: 'Geändert und nicht gespeichert',
}
