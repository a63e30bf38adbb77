import type * as english from '../en/deployments.ts'
import { list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'
import { channelWords } from './channels.ts'
import { settingsWords } from './settings.ts'

type Change = 'added' | 'changed' | 'removed'
const changes: Record<Change, string> = { added: 'hinzugefügt', changed: 'geändert', removed: 'entfernt' }
const fields: Record<string, string> = {
  ...settingsWords.labels,
  hosts: 'Hostnamen',
  plugins: 'Plugins',
  providerId: 'Anbieter',
  consentCategory: 'Einwilligung',
  geoRegions: 'Regionen',
  purchaseValueMode: channelWords.valueMode,
  paused: 'Angehalten',
}

/** Texts of deployments. */
export const deploymentWords: Translated<typeof english.deploymentWords> = {
  intro: 'Jeder Stand dieses Tags, der live war, der neueste zuerst. Jeder kann wieder live geschaltet werden.',
  live: 'ist live',
  columns: { number: 'Deployment', when: 'Wann', who: 'Wer', what: 'Was sich geändert hat' },
  name: (number) => `Deployment ${number}`,
  nothing: 'nichts',
  settings: 'Einstellungen des Tags',
  activates: (number) => `wieder der Stand von Deployment ${number}`,
  summary: (settings, scripts) =>
    list([
      ...(settings.length > 0 ? [plural(settings.length, 'Einstellung', 'Einstellungen')] : []),
      ...scripts.map(({ name, change }) => `${name} ${changes[change]}`),
    ]),
  change: (change) => changes[change],
  field: (name) => fields[name] ?? name.replace(/^secrets\./, ''),
  version: (version) => `Version ${version}`,
  secretChanged: 'Der Wert ist geheim und wird nicht gezeigt.',
  before: 'Vorher',
  after: 'Nachher',
  draftTitle: 'Gespeichert und nicht live',
  draftNote: (number) => `Was ein Deployment jetzt ändert, verglichen mit Deployment ${number}.`,
  noDraft: 'Alles Gespeicherte ist live.',
  rollBack: 'Wieder live schalten',
  rollBackTitle: (number) => `Deployment ${number} wieder live schalten?`,
  rollBackText: 'Es wird ein neues Deployment. Hostnamen, Pausen und Gespeichertes bleiben, wie sie sind.',
  isLive: 'Es ist live.',
  previous: 'Vorheriges',
  next: 'Nächstes',
  lines: (added, removed) => `${added} hinzugefügt, ${removed} entfernt`,
  sameLines: (n) => plural(n, 'Zeile ist gleich', 'Zeilen sind gleich'),
  facts: { who: 'Wer', when: 'Wann', activates: 'Hat den Stand von' },
  unchanged: 'Dieses Deployment hat nichts geändert.',
  first: 'Das erste Deployment: Alles ist neu.',
}
