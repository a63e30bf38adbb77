import type * as english from '../en/playground.ts'
import { plural } from '../format.ts'
import type { Translated } from '../translated.ts'

/** Texts of the playground and the editor of webhooks. */
export const playgroundWords: Translated<typeof english.playgroundWords> = {
  intro:
    'Schreiben Sie Code und führen Sie ihn in der Sandbox für Beispielereignisse aus. Nichts wird gesendet, nichts gespeichert.',
  kind: 'Art',
  kinds: { playground: 'Kanal-Code', webhook: 'Webhook' },
  kindHints: {
    playground: 'async tag({ event, user, secrets, fetch, logger }) läuft für jedes Ereignis des Tags.',
    webhook: 'async function process(params) beantwortet POST {Tag-URL}/webhook/{Kanal-ID} und erhält die Ereignisse.',
  },
  channel: 'Kanal',
  newCode: 'Neuer Code',
  code: 'Code',
  codeHint: 'Strg Enter führt ihn aus. Tab geht weiter; Strg ] rückt ein.',
  loading: 'Der Editor wird geladen …',
  input: 'Wofür er läuft',
  event: 'Ereignis',
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
  outside: 'Aufruf von außen',
  outsideHint: 'Ein POST an den Webhook, statt eines Ereignisses.',
  outsideOn: 'Für einen Aufruf von außen ausführen',
  headersJson: 'Header',
  bodyJson: 'Inhalt',
  run: 'Ausführen',
  running: 'Läuft …',
  broken: (label) => `${label} ist kein gültiges JSON.`,
  results: 'Was er getan hat',
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
  save: 'Als Entwurf speichern',
  saveDeploy: 'Speichern und live schalten',
  saveNew: 'Als Kanal speichern',
  name: 'Name des Kanals',
  saved: 'Gespeichert.',
  noCrypto:
    'Diese Seite ist nicht über https geladen, daher kann der Browser den Code nicht versiegeln. Nutzen Sie die Kommandozeile.',
}
