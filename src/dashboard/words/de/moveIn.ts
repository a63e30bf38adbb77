import type * as english from '../en/moveIn.ts'
import { count, list, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the page that moves tags in from another product. */
export const moveInWords: Translated<typeof english.moveInWords> = {
  promote: 'In die Produktion übernehmen',
  promoteIntro:
    'Ein Tag der Sandbox mit Einstellungen und Kanälen, wie die Produktion ihn erhält. Nichts ändert sich, bevor Sie den Plan gesehen haben.',
  promoteFrom: (name) => `Aus der Sandbox: ${name}`,
  promoteNote:
    'Hostnamen, Origins und Shops bleiben die der Produktion. Geheimnisse kann niemand lesen: Tragen Sie ein, was die Produktion nicht hat.',
  promoteRead: (channels) => `${plural(channels, 'Kanal', 'Kanäle')} und die Einstellungen des Tags sind gelesen.`,
  promoteSignIn: 'Sie sind in der Sandbox nicht angemeldet',
  promoteSignInText:
    'Melden Sie sich dort an und kehren Sie auf diese Seite zurück. Produktion und Sandbox haben eigene Sitzungen.',
  promoteOpen: 'Sandbox öffnen',
  promoteProductionFirst: 'Melden Sie sich zuerst in der Produktion an.',
  title: 'Von einem anderen Produkt umziehen',
  intro: 'Aus einem Export werden Kanäle, dazu ein Bericht darüber, was ein Mensch noch tun muss.',
  fileTitle: 'Der Export',
  fileNote: 'Die Datei wird in diesem Browser gelesen und nicht hochgeladen.',
  product: 'Produkt',
  anyProduct: 'An der Datei erkennen',
  products: {
    gtm: 'Google Tag Manager',
    zaraz: 'Cloudflare Zaraz',
    segment: 'Segment',
    rudderstack: 'RudderStack',
  },
  file: 'Datei des Exports',
  drop: 'oder hier ablegen',
  fileHint:
    'Ein Container (des Servers, der Seite oder beide), eine Konfiguration von Zaraz, workspaceConfig.json von RudderStack, oder für Segment alle .tf-Dateien oder Antworten seiner API als .json-Dateien. Höchstens 20 MB.',
  reading: (names) => `${names.length === 1 ? names[0] : plural(names.length, 'Datei', 'Dateien')} wird gelesen …`,
  readFiles: (product, names) =>
    `${product}: ${names.length === 1 ? names[0] : plural(names.length, 'Datei', 'Dateien')}`,
  refused: 'Die Datei lässt sich nicht lesen',
  tooLarge: (megabytes) =>
    `Die Dateien haben ${count(megabytes)} MB; höchstens 20 MB werden gelesen. Exportieren Sie nur einen Container oder Workspace.`,
  tooMany: (n) => `Das sind ${count(n)} Dateien; höchstens 5.000 werden gelesen.`,
  tooSlow:
    'Das Lesen dauerte länger als 30 Sekunden und wurde beendet. Entfernen Sie aus dem Export, was nicht gebraucht wird.',
  unreadable: 'Der Browser kann die Datei nicht lesen. Wählen Sie sie noch einmal aus.',
  emptyTitle: 'Noch kein Export',
  empty:
    'Wählen Sie die Datei, die das andere Produkt exportiert. Nichts ändert sich, bevor Sie den Plan gesehen haben.',
  helpLink: 'So exportieren Sie',
  reportTitle: 'Bericht',
  reportNote: (elements, channels) =>
    `Aus ${plural(elements, 'Element', 'Elementen')} des Exports: ${plural(channels, 'Kanal', 'Kanäle')}.`,
  status: {
    mapped: 'übernommen',
    needsValue: 'braucht einen Wert',
    needsDecision: 'braucht eine Entscheidung',
    notMapped: 'ohne Entsprechung',
  },
  all: 'alle',
  filter: 'Bericht filtern',
  filterHint: 'Ein Name, eine Art, ein Kanal',
  columns: { name: 'Element', kind: 'Art', status: 'Ergebnis', channels: 'Kanal', notes: 'Warum' },
  noMatch: 'Nichts im Bericht passt',
  more: (n) => `${count(n)} weitere zeigen`,
  steps: 'Was noch zu tun ist',
  saveReport: 'Bericht speichern',
  exportKnown: 'Wer den Export hatte, kennt seine Tokens. Erstellen Sie neue, wo es geht.',
  channelsNote: 'Wählen Sie, was umzieht, und tragen Sie ein, was der Export nicht enthält.',
  noChannels: 'Nichts in diesem Export wird zu einem Kanal. Der Bericht sagt, warum.',
  from: (names) =>
    `Entstanden aus ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` und ${count(names.length - 5)} weiteren` : ''}`,
  events: (names) =>
    names.length === 0
      ? 'Bekommt kein Ereignis'
      : `Bekommt ${names.slice(0, 8).join(', ')}${names.length > 8 ? ` und ${count(names.length - 8)} weitere` : ''}`,
  wasOff: 'im Export ausgeschaltet',
  issues: {
    missing: 'Der Export enthält das nicht. Tragen Sie es ein.',
    broken: 'Das ist kein versiegelter Eintrag für dieses Feld.',
    otherProvider:
      'Der Tag hat schon einen Kanal eines anderen Anbieters mit diesem Namen. Schreiben Sie einen anderen.',
    repeated: 'Ein anderer Kanal des Imports hat diesen Namen. Schreiben Sie einen anderen.',
  },
  rulesRefused: 'Seine Regeln wurden abgelehnt: ',
  targetTitle: 'Wohin',
  newTag: 'Ein neuer Tag',
  target: 'In den Tag',
  domain: 'Domain',
  domainHint: 'Die der Website, etwa shop.example.',
  needed: 'Tragen Sie es ein.',
  targetNote: 'Ein Kanal des Tags mit demselben Namen wird geändert. Die anderen bleiben.',
  plan: 'Plan zeigen',
  planned: (n) => `Berichtigen Sie zuerst ${plural(n, 'Feld', 'Felder')}.`,
  saveFiles: 'Als Dateien für aglet apply speichern',
  filesNote:
    'aglet.json und secrets.json. secrets.json enthält die Tokens im Klartext: Legen Sie sie nicht in ein Repository.',
  planTitle: 'Vorschau der Änderungen',
  planNote: 'Der Server hat sie geprüft. Noch ist nichts geändert.',
  nothing: 'Nichts weicht ab: Der Tag hat das alles schon.',
  changes: { create: 'neu', change: 'geändert', same: 'unverändert' },
  makeTag: (name) => `Neuer Tag ${name}`,
  changeTag: (name) => `Der Tag ${name}`,
  warnings: 'Warnungen',
  apply: 'Umziehen und deployen',
  applyDraft: 'Als Entwürfe speichern',
  sealed: (labels) => `Versiegelt und gesendet: ${list(labels)}`,
  moreFields: 'Name und weitere Werte',
  done: (n, tag) => `${plural(n, 'Kanal ist', 'Kanäle sind')} nach ${tag} umgezogen`,
  doneText: 'Richten Sie jetzt die Seite auf den Tag, und arbeiten Sie den Bericht ab.',
  openChannels: 'Kanäle öffnen',
  openInstall: 'Tag installieren',
  hookErrors: 'Deploy-Hooks meldeten',
}
