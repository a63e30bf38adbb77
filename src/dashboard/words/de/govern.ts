import type { ActionId } from '#dashboard/actions.ts'
import type * as english from '../en/govern.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'
import { paletteWords } from './frame.ts'

/** Texts of applications and tokens. */
export const applicationWords: Translated<typeof english.applicationWords> = {
  intro:
    'Programme, die für dieses Team die API aufrufen. Der Betreiber gibt jedes frei, bevor es Tokens erhalten kann.',
  register: 'Anwendung registrieren',
  scopes: 'Was sie darf',
  readOnly: 'Nur lesen',
  allScopes: 'Alles',
  noScopes: 'Nichts',
  redirectUris: 'Rücksprungadressen',
  redirectHint:
    'Eine in jeder Zeile, für Anwendungen, bei denen sich Personen anmelden. https, oder http auf einer Loopback-Adresse.',
  isPublic: 'Sie kann kein Geheimnis bewahren: eine mobile App oder eine Webseite',
  create: 'Registrieren',
  secretTitle: 'Das Client-Secret',
  secretNote: 'Kopieren Sie es jetzt: Es wird nur einmal gezeigt.',
  clientId: 'Client-ID',
  clientSecret: 'Client-Secret',
  noneTitle: 'Keine Anwendungen',
  none: 'Registrieren Sie eine, um die API aus einem Programm aufzurufen: von einem Server, einem Skript oder der Kommandozeile.',
  status: { pending: 'wartet auf den Betreiber', approved: 'freigegeben' },
  public: 'öffentlich',
  created: 'Registriert',
  tokens: 'Tokens',
  noTokens: 'Keine eigenen Tokens',
  token: 'Neues Token',
  tokenTitle: (name) => `Neues Token von ${name}`,
  tokenText: 'Zwei können zugleich gültig sein, damit eines das andere ablösen kann.',
  tokenLife: 'Gültig für',
  lives: { '12h': '12 Stunden', '30d': '30 Tage', '90d': '90 Tage', '365d': 'ein Jahr' },
  createToken: 'Token ausstellen',
  tokenMade: 'Das Token',
  notApproved: 'Der Betreiber hat sie noch nicht freigegeben.',
  expires: 'Läuft ab',
  revokeTitle: 'Dieses Token widerrufen?',
  revokeText: 'Programme mit diesem Token werden innerhalb von fünf Sekunden abgewiesen.',
  rotate: 'Neues Secret',
  rotateTitle: (name) => `Neues Secret von ${name}`,
  rotateText: 'Das bisherige Secret gilt noch eine Weile, damit beide gehen, während Sie es austauschen.',
  keepBefore: 'Das bisherige Secret gilt noch',
  keeps: { '0m': 'nicht mehr', '1h': '1 Stunde', '24h': '1 Tag', '7d': '7 Tage' },
  rotateDone: 'Neues Secret erstellen',
  isPublicWhy: 'Eine öffentliche Anwendung hat kein Secret.',
  removeText: 'Ihre Tokens und der Zugriff, den Personen ihr gewährt haben, enden innerhalb von fünf Sekunden.',
  nScopes: (n) => plural(n, 'Recht', 'Rechte'),
}

/** Texts of hooks. */
export const hookWords: Translated<typeof english.hookWords> = {
  intro:
    'Ihre Adressen, die signiert aufgerufen werden, bevor ein Deployment live geht oder wenn es eine Meldung zu einem Kanal gibt.',
  add: 'Hook hinzufügen',
  urlPlaceholder: 'https://',
  urlHint: 'https. Sie muss innerhalb von 5 Sekunden antworten.',
  kind: 'Aufgerufen',
  kinds: {
    deploy: 'vor jedem Deployment, das er ablehnen kann',
    alert: 'wenn ein Kanal stillsteht, aufgibt oder sich erholt',
  },
  kindName: { deploy: 'Vor einem Deployment', alert: 'Bei Meldungen' },
  secretTitle: 'Der Signaturschlüssel',
  secretNote: 'Jede Anfrage ist damit signiert. Kopieren Sie ihn jetzt: Er wird nur einmal gezeigt.',
  secret: 'Signaturschlüssel',
  noneTitle: 'Keine Hooks',
  none: 'Fügen Sie einen hinzu, um Deployments mit einem eigenen Programm zu prüfen oder von stillstehenden Kanälen zu erfahren.',
  removeTitle: 'Diesen Hook entfernen?',
  removeText: 'Er wird nicht mehr aufgerufen.',
}

/** Texts of alerts. */
export const alertWords: Translated<typeof english.alertWords> = {
  intro: 'Was beobachtet wird, was geschah, und wer davon erfuhr.',
  noneTitle: 'Keine Meldungen',
  none: 'Ein Kanal, der stillsteht, Zustellungen aufgibt oder sich erholt, steht dann hier.',
  columns: { when: 'Wann', channel: 'Kanal', kind: 'Was', count: 'Zustellungen', sent: 'An Hooks gesendet' },
  kind: {
    paused: 'steht still',
    resumed: 'geht weiter',
    failing: 'scheitert bei mehr als jeder zehnten Zustellung',
    dead: 'hat Zustellungen aufgegeben',
    recovered: 'hat sich erholt',
  },
  sent: { pending: 'wartet', sent: 'gesendet', failed: 'gescheitert' },
  tries: (n) => plural(n, 'Versuch', 'Versuche'),
  noHooks: 'kein Hook',
}

/** Texts of policies. */
export const policyWords: Translated<typeof english.policyWords> = {
  intro: 'Was der Betreiber diesem Team zur Annahme vorlegt.',
  name: {
    TERMS_AND_CONDITIONS: 'Nutzungsbedingungen',
    PRIVACY_POLICY: 'Datenschutzerklärung',
    DATA_PROCESSING_AGREEMENT: 'Vertrag zur Auftragsverarbeitung',
  },
  version: 'Fassung',
  accepted: 'angenommen',
  acceptedBy: (name) => `von ${name}`,
  required: 'verlangt',
  read: 'Lesen',
  open: 'nicht angenommen',
  accept: 'Annehmen',
  acceptTitle: (name, version) => `${name}, Fassung ${version}, annehmen?`,
  acceptText: 'Sie nehmen für das ganze Team an. Das lässt sich nicht zurücknehmen.',
  noneTitle: 'Keine Richtlinien',
  none: 'Der Betreiber hat keine veröffentlicht.',
}

/** Audited changes that are not done on a page. */
const otherChanges: Record<string, string> = {
  'channel.paused': 'Ein Kanal steht',
  'channel.resumed': 'Ein Kanal arbeitet wieder',
  'channel.dead': 'Zustellungen wurden aufgegeben',
  'channel.failing': 'Ein Kanal ist fehlerhaft',
  'channel.recovered': 'Ein Kanal hat sich erholt',
  applyTagConfig: 'Eine Konfiguration anwenden',
  patchScript: 'Einstellungen eines Kanals ändern',
  createToken: 'Ein Token auf der Kommandozeile ausstellen',
  readUser: 'Einen Besucher ansehen',
  signIn: 'Anmelden',
  signInByLink: 'Mit einem Link anmelden',
  signOut: 'Abmelden',
  acceptInvitation: 'Dem Team beitreten',
  changeSignIn: 'Eine Anmeldung ändern',
  endAlertMails: 'Meldungen per E-Mail beenden, weil ihr Leser es wollte',
  linkSandbox: 'Ein Konto der Sandbox verknüpfen',
  unlinkSandbox: 'Die Verknüpfung mit der Sandbox beenden',
  signInByProduction: 'Durch die Produktion anmelden',
  confirmEmail: 'Eine E-Mail-Adresse bestätigen',
  createEmailLink: 'Einen Link an eine E-Mail-Adresse senden',
  createSignInLink: 'Einen Anmeldelink erstellen',
  createResetLink: 'Einen Link für ein neues Passwort erstellen',
  requestReset: 'Ein neues Passwort anfordern',
  resetPassword: 'Ein neues Passwort per Link vergeben',
  grantApplication: 'Einer Anwendung Zugriff geben',
  grantToken: 'Einer Anwendung ein Token geben',
  approveApplication: 'Eine Anwendung für ein Team freigeben',
  withdrawPolicy: 'Eine Richtlinie zurückziehen',
  createSealingKey: 'Einen Siegelschlüssel erstellen',
  rotateSealingKey: 'Den Siegelschlüssel wechseln',
  rotateTeamKey: 'Den Schlüssel des Teams wechseln',
  rotateRootKey: 'Den Hauptschlüssel wechseln',
  expireUsers: 'Besucher nach Frist löschen',
}

/** Texts of the audit. */
export const auditWords: Translated<typeof english.auditWords> = {
  intro: 'Jede Änderung an Objekten dieses Teams: wer, was, wann, von wo, und der Stand vorher und nachher.',
  others: otherChanges,
  change: (what) => {
    const [name = '', end] = what.split('.')
    const text = otherChanges[what] ?? otherChanges[name] ?? paletteWords.action[name as ActionId] ?? what
    return end === 'refused' ? `${text}: abgewiesen` : text
  },
  columns: { when: 'Wann', who: 'Wer', what: 'Was', object: 'Objekt', from: 'Von wo' },
  by: 'Wer',
  what: 'Was',
  object: 'Objekt',
  from: 'von',
  to: 'bis',
  anyone: 'Alle',
  anything: 'Jede Änderung',
  team: 'Dieses Team',
  objectPlaceholder: 'Kennung eines Objekts',
  noneTitle: 'Noch ist nichts geschehen',
  none: 'Die erste Änderung steht sofort hier.',
  noMatch: 'Keine Änderung passt',
  before: 'Vorher',
  after: 'Nachher',
  details: 'Zeigen, was sich geändert hat',
}
