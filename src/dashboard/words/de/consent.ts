import type * as english from '../en/consent.ts'
import { list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'
import { channelWords } from './channels.ts'

/** Texts of the consent page. */
export const consentWords: Translated<typeof english.consentWords> = {
  intro: 'Welche Einwilligung jeder Kanal verlangt und aus welchen Regionen er Ereignisse erhält.',
  isOff:
    'Dieser Tag verlangt keine Einwilligung: Jeder Kanal erhält jedes Ereignis, gleich was der Besucher gewählt hat.',
  isOn: 'Dieser Tag verlangt Einwilligung: Ein Kanal erhält ein Ereignis, wenn der Besucher seiner Kategorie zugestimmt hat.',
  hold: (hold) =>
    hold === 'off'
      ? 'Ein Ereignis ohne die nötige Einwilligung wird dem Kanal nicht gesendet.'
      : `Ein Ereignis ohne Antwort wartet bis zu ${plural(hold, 'Minute', 'Minuten')} darauf.`,
  gpc: (isOn) =>
    isOn
      ? 'Global Privacy Control gilt als Ablehnung von Werbung.'
      : 'Global Privacy Control wird nicht berücksichtigt.',
  change: 'Ändern',
  matrix: 'Kanäle und Kategorien',
  matrixNote: 'Jeder Kanal braucht eine Kategorie. Notwendige brauchen keine Einwilligung.',
  choose: (channel, category) => `${channel} braucht ${channelWords.category(category)}`,
  notOffered: 'Der Anbieter bietet sie nicht an',
  sentences: 'Was ein Besucher entscheidet',
  reaches: (category, channels) =>
    category === 'necessary'
      ? `Alle Besucher: gesendet an ${channels.length === 0 ? 'keinen Kanal' : list(channels)}.`
      : `Besucher, die ${channelWords.category(category)} erlauben: gesendet an ${channels.length === 0 ? 'keinen Kanal' : list(channels)}.`,
  isLive: 'live geschaltet',
  notYet: (channel) => `${channel} (noch nicht live)`,
  until: (channel) => `${channel} (bis die Änderung live ist)`,
  noneTitle: 'Keine Kanäle',
  none: 'Fügen Sie zuerst einen Kanal hinzu; er steht dann hier mit der Kategorie, die er braucht.',
  changed: (n) => plural(n, 'Kanal ist geändert', 'Kanäle sind geändert'),
  regionsTitle: (channel) => `Regionen von ${channel}`,
  regionsChange: (channel) => `Regionen von ${channel} ändern`,
}
