import type * as english from '../en/install.ts'
import { moment, plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the page for installing a tag. */
export const installWords: Translated<typeof english.installWords> = {
  title: (name) => `Aglet in ${name} einbauen`,
  snippet: 'Snippet',
  kinds: { page: 'Seite', module: 'Modul', server: 'Server', typescript: 'TypeScript' },
  hints: {
    page: 'Vor dem Ende von <head>, auf jeder Seite.',
    module: 'Für eine Anwendung mit Bundler: das Paket aglet oder dist/browser.mjs dieses Servers.',
    server:
      'Von Ihrem Server, für Käufe und Erstattungen außerhalb der Website. Die Ereignis-ID hält Wiederholungen fern. ' +
      'consent enthält, wozu der Besucher zugestimmt hat.',
    typescript: 'Dasselbe in TypeScript, ohne ein Paket.',
  },
  consent: 'Einwilligung',
  consentWaits: {
    memory:
      'Vor einer Einwilligung speichert und sendet dieser Tag nichts: Die Seite behält ihre Aufrufe im Speicher und ' +
      'verwirft sie, wenn sie geschlossen wird. Rufen Sie dies auf, nachdem der Besucher Ihr Banner beantwortet hat, nicht vorher.',
    none:
      'Vor einer Einwilligung speichert und sendet dieser Tag nichts und verwirft die Aufrufe der Seite. ' +
      'Rufen Sie dies auf, nachdem der Besucher Ihr Banner beantwortet hat, nicht vorher.',
  },
  noBanner: 'Eine Seite ohne Banner, die keine Einwilligung braucht, ruft init mit { disableConsentCheck: true } auf.',
  csp: 'Content-Security-Policy',
  cspHint: 'Nur wenn Ihre Website eine sendet: Fügen Sie ihr dies hinzu.',
  hosts: 'Eigene Hostnamen',
  hostsHint: 'Unter einem Namen Ihrer Website halten die Cookies des Tags länger, und Blocker greifen weniger ein.',
  noHosts: 'Noch keine. Bis dahin arbeitet der Tag unter seiner Tag-URL.',
  hostPlaceholder: 'd.example.com',
  removeHostText:
    'Der Server bedient diesen Namen sofort nicht mehr. Seiten, die das Skript von dort laden, erhalten nichts.',
  host: 'Hostname',
  hostState: {
    unproved: 'Inhaberschaft nicht nachgewiesen',
    missing: 'kein DNS-Eintrag',
    ready: 'wird bedient',
  },
  record: 'DNS-Eintrag',
  proof: 'Nachweis der Inhaberschaft',
  checkAgain: 'Erneut nachsehen',
  watching: 'Wartet auf Ihre Website',
  watchingNote: 'Diese Seite bemerkt es von selbst.',
  checks: {
    load: ['Skript geladen', 'wartet auf das Snippet'],
    init: ['Besucher dem Tag bekannt', 'wartet auf das Skript'],
    event: ['Erstes Ereignis', 'wartet auf ein Ereignis'],
  },
  initAfterConsent: 'wartet auf die Einwilligung eines Besuchers',
  seen: (at, host, zone) => `${moment(at, zone)}${host ? ` · ${host}` : ''}`,
  refused: (n) => plural(n, 'Aufruf wurde abgewiesen', 'Aufrufe wurden abgewiesen'),
  noSite: 'Keine Website zur Hand?',
  testNote: 'Ein Testereignis geht an jeden gespeicherten Kanal, mit erteilter Einwilligung. Es wird nicht gezählt.',
  sendTest: 'Testereignis senden',
  preview: 'Vorschau auf der Website',
  previewNote:
    'Ein Link, der Ihre Website so öffnet, dass Ereignisse dieses Browser-Tabs durch alles Gespeicherte laufen. Sie werden weder gespeichert noch gezählt.',
  previewNone: 'Vorschau, nichts senden',
  previewTestMode: 'Vorschau, in Testmodi senden',
  previewLink: 'Vorschau-Link',
  previewUntil: 'Bis zu 500 Ereignisse, bis',
  previewWaits: 'Öffnen Sie den Link: Seine Ereignisse erscheinen hier.',
  arrived: (name) => `${name} ist angekommen.`,
  seeJourney: 'Weg ansehen',
}
