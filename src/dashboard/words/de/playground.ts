import type * as english from '../en/playground.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the playground and the editor of webhooks. */
export const playgroundWords: Translated<typeof english.playgroundWords> = {
  intro:
    'Schreiben Sie Code und führen Sie ihn in der Sandbox mit Beispielereignissen aus. Nichts wird gesendet, nichts gespeichert.',
  kind: 'Art',
  kinds: { playground: 'Kanal-Code', webhook: 'Webhook' },
  kindHints: {
    playground: 'async tag({ event, user, secrets, fetch, logger }) läuft für jedes Ereignis des Tags.',
    webhook: 'async function process(params) beantwortet POST {Tag-URL}/webhook/{Kanal-ID} und erhält die Ereignisse.',
  },
  newCode: 'Neuer Code',
  codeHint: 'Strg Enter führt ihn aus. Tab geht weiter; Strg ] rückt ein.',
  input: 'Eingabe',
  sample: (name) => `Beispiel: ${name}`,
  real: 'Letzte echte Ereignisse',
  eventJson: 'Das Ereignis als JSON',
  userJson: 'Besucher',
  userHint: 'Standardschlüssel und userId, als JSON-Objekt aus Texten.',
  secrets: 'Geheimnisse',
  secretsHint: 'Werte nach Namen, nur für diesen Lauf, als JSON-Objekt. Sie werden nicht gespeichert.',
  keptSecrets: 'Die eigenen Geheimnisse des Kanals werden benutzt. Sie bleiben auf dem Server.',
  replies: 'Antworten',
  repliesHint:
    'Was seine Aufrufe von fetch erhalten, der Reihe nach: [{ "status": 200, "json": {} }]. Ohne weitere ist es 200 und {}.',
  outsideHint: 'Ein POST an den Webhook, statt eines Ereignisses.',
  outsideOn: 'Für einen Aufruf von außen ausführen',
  headersJson: 'Header',
  bodyJson: 'Inhalt',
  run: 'Ausführen',
  running: 'Läuft …',
  broken: (label) => `${label} ist kein gültiges JSON.`,
  results: 'Was geschehen ist',
  before: 'Führen Sie ihn aus; seine Anfragen, Logs und sein Ergebnis stehen dann hier.',
  requests: (n) => plural(n, 'Anfrage', 'Anfragen'),
  refused: 'keine erlaubte Adresse',
  calls: 'Aufrufe seiner Parameter',
  logs: 'Logs',
  noLogs: 'nichts protokolliert',
  result: 'Ergebnis',
  noResult: 'nichts zurückgegeben',
  error: 'Fehler',
  at: (line) => (line === undefined ? '' : ` (Zeile ${line})`),
  saveNew: 'Als Kanal speichern',
  name: 'Name des Kanals',
  noCrypto:
    'Diese Seite ist nicht über https geladen, daher kann der Browser den Code nicht versiegeln. Nutzen Sie die Kommandozeile.',
  codeIssue: (message, line, column) =>
    `Der Code ist fehlerhaft (${message}): Zeile ${line}${column === undefined ? '' : `, Spalte ${column}`}.`,
  isPublic: 'Öffentlich: ohne Token',
  publicWarning: 'Wer die Adresse kennt, kann diesen Code ausführen und damit Ereignisse senden.',
  tokenHint: 'Der Kanal erhält ein Token. Es wird einmal gezeigt, zusammen mit der Adresse.',
  madeTitle: 'Der Webhook ist gespeichert',
  madeNote:
    'Aufrufe brauchen den Header Authorization: Bearer mit diesem Token. Kopieren Sie es jetzt: Es wird nicht wieder gezeigt.',
  madePublicNote: 'Wer diese Adresse kennt, kann den Code ausführen.',
}
