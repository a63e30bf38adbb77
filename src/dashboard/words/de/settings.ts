import type * as english from '../en/settings.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the settings of tags and of the team. */
export const settingsWords: Translated<typeof english.settingsWords> = {
  general: 'Allgemein',
  access: 'Wer Ereignisse senden darf',
  consentTitle: 'Einwilligung und Cookies',
  versions: 'Versionen',
  labels: {
    name: 'Name',
    domain: 'Domain',
    allowedOrigins: 'Erlaubte Ursprünge',
    consent: 'Einwilligung',
    gpc: 'Global Privacy Control',
    hold: 'Auf fehlende Einwilligung warten',
    sameSite: 'SameSite des Cookies',
    serverToken: 'Token von Serveraufrufen',
    captureBeforeConsent: 'Vor einer Einwilligung',
    defaultCountry: 'Land, wenn keines angegeben ist',
    sources: 'Quellen',
    adapters: 'Seiten-Adapter',
    primaryAdapter: 'Ereignisse senden von',
    passEventId: 'Ereignis-IDs',
    sdkVersion: 'SDK',
    edgeVersion: 'Edge',
  },
  domainHint: 'Das Cookie und die vorgegebenen Ursprünge leiten sich davon ab.',
  countryHint:
    'Zwei Buchstaben, etwa DE: das Land von Telefonnummern ohne Landesvorwahl, wenn weder der Besucher noch die Bestellung eines nennt. Leer: das Land der IP-Adresse.',
  originsHint: 'Einer in jeder Zeile, etwa https://shop.example. Leer: die Domain und ihre Subdomains.',
  consents: {
    enabled: 'An: Ein Kanal erhält, dem der Besucher zugestimmt hat',
    disabled: 'Aus: Jeder Kanal erhält jedes Ereignis',
  },
  gpcText: 'Ein Browser, der Global Privacy Control sendet, gilt als Ablehnung von Werbung',
  holdOff: 'Gar nicht: Ein Ereignis ohne Einwilligung wird nicht gesendet',
  holdFor: (minutes) => `Bis zu ${plural(minutes, 'Minute', 'Minuten')}`,
  sameSiteHint:
    'Lax passt zu einer Website mit einer Domain. None ist für einen Tag auf mehreren Websites, nur über https.',
  serverTokens: {
    optional: 'Nicht erforderlich: Ein Server darf Ereignisse ohne Token senden',
    required: 'Erforderlich: Ein Server braucht ein Token mit event:write',
  },
  captures: {
    memory: 'Das SDK speichert und sendet nichts; Ereignisse warten im Speicher der Seite',
    none: 'Das SDK speichert und sendet nichts; Ereignisse werden verworfen',
    all: 'Das SDK speichert IDs und sendet Ereignisse; ein Kanal erhält sie erst nach einer Einwilligung',
  },
  capturesHint:
    'Was das Browser-SDK tut, bis der Besucher entscheidet. Ohne Bedeutung, wenn die Einwilligung ausgeschaltet ist.',
  sourcesHint:
    'Protokolle anderer Produkte, die die Tag-URL auch versteht. Die Adresse einer ausgeschalteten Quelle gibt es nicht.',
  sources: {
    segment: 'Segment: die SDKs von Segment, RudderStack und Jitsu',
    ga4: 'Google Analytics 4: gtag und das Measurement Protocol',
    cloudEvents: 'CloudEvents 1.0',
    snowplow: 'Snowplow: seine Tracker',
    shopify: 'Shopify: Pixel und Webhooks',
    woocommerce: 'WooCommerce: unser Plug-in oder Webhooks',
    bigcommerce: 'BigCommerce: Webhooks',
  },
  adaptersHint:
    'Das SDK liest die Aufrufe, die Ihre Seiten schon an andere Werkzeuge richten, und sendet sie als Ereignisse. Diese Werkzeuge erhalten sie wie bisher.',
  adapters: {
    dataLayer: 'dataLayer: Google Tag Manager',
    gtag: 'gtag: Google Analytics und Google Ads',
    fbq: 'fbq: Meta',
    ttq: 'ttq: TikTok',
    pintrk: 'pintrk: Pinterest',
    snaptr: 'snaptr: Snapchat',
    rdt: 'rdt: Reddit',
    uetq: 'uetq: Microsoft',
    zaraz: 'zaraz: Cloudflare Zaraz',
    segment: 'analytics: Segment',
  },
  noPrimary: 'allen: Der erste Aufruf für ein Ereignis zählt',
  primaryHint: 'Wenn eine Seite für ein Ereignis mehrere Werkzeuge aufruft. Die anderen erhalten nur seine ID.',
  passEventIdText:
    'Aufrufen ohne Ereignis-ID eine geben, damit das Pixel in der Seite und der Server einmal gezählt werden',
  keysTitle: 'Schlüssel der Quellen',
  keysText:
    'Ein Server sendet mit einem Schlüssel: ein Token mit event:write und sonst nichts. Er gilt für jeden Tag des Teams. Eine Seite sendet mit der ID des Tags.',
  key: 'Schlüssel',
  keyOf: 'Anwendung',
  noKeys: 'Keine Schlüssel',
  noApplication: 'Melden Sie zuerst eine Anwendung mit event:write an.',
  newKey: 'Neuer Schlüssel',
  keyMade: 'Der Schlüssel',
  rotateKey: 'Erneuern',
  rotateKeyTitle: (name) => `Neuer Schlüssel von ${name}`,
  rotateKeyText:
    'Der bisherige Schlüssel gilt, bis Sie ihn widerrufen. Beide gelten also, während Sie das SDK umstellen.',
  serverTokenHint: 'Browser erlaubter Ursprünge brauchen kein Token.',
  latest: (version) => (version ? `neueste (jetzt ${version})` : 'neueste'),
  save: 'Speichern und live schalten',
  saved: 'Gespeichert und live.',
  nothing: 'Nichts ist geändert',
  restart: 'Zurücksetzen',
  fields: (n) => `${plural(n, 'Einstellung', 'Einstellungen')} geändert`,
  deleteTitle: 'Diesen Tag löschen',
  deleteText:
    'Löscht den Tag mit Kanälen, Deployments, Ereignissen und Besuchern und nimmt ihn sofort vom Edge. Das lässt sich nicht zurücknehmen.',
  deleteButton: 'Tag löschen',
  deleteAsk: (name) => `${name} löschen?`,
  deleteConfirm: (name) => `Zum Löschen ${name} eingeben`,

  newTitle: 'Neuer Tag',
  newIntro: 'Ein Tag ist eine Website oder App mit eigenem Endpunkt für Ereignisse.',
  newName: 'Name',
  newDomain: 'Domain der Website',
  domainPlaceholder: 'shop.example',
  create: 'Tag anlegen',

  teamName: 'Name des Teams',
  teamId: 'Team-ID',
  created: 'Angelegt',
  teamSaved: 'Gespeichert.',
  yourRole: 'Ihre Rolle',
}
