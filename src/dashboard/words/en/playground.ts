import { plural } from '../format.ts'

/** Texts of the playground and the editor of webhooks. */
export const playgroundWords = {
  intro: 'Write code, and run it in the sandbox for sample events. Nothing is sent and nothing is stored.',
  kind: 'Kind',
  kinds: { playground: 'Channel code', webhook: 'Webhook' },
  kindHints: {
    playground: 'async tag({ event, user, secrets, fetch, logger }) runs for each event of the tag.',
    webhook: 'async function process(params) answers POST {tag URL}/webhook/{channel id} and gets the events.',
  },
  channel: 'Channel',
  newCode: 'New code',
  code: 'Code',
  codeHint: 'Ctrl Enter runs it. Tab moves on; Ctrl ] indents.',
  loading: 'Loading the editor…',
  input: 'What it runs for',
  event: 'Event',
  sample: (name: string) => `Sample: ${name}`,
  real: 'Last real events',
  eventJson: 'The event as JSON',
  userJson: 'Visitor',
  userHint: 'Standard keys and userId, as a JSON object of texts.',
  secrets: 'Secrets',
  secretsHint: 'Values by name for this run alone, as a JSON object. They are not saved.',
  keptSecrets: 'The channel’s own secrets are used. They stay on the server.',
  replies: 'Replies',
  repliesHint: 'What its calls of fetch get, in order: [{ "status": 200, "json": {} }]. Without more it is 200 and {}.',
  outside: 'Call from outside',
  outsideHint: 'A POST to the webhook, instead of an event.',
  outsideOn: 'Run it for a call from outside',
  headersJson: 'Headers',
  bodyJson: 'Body',
  run: 'Run',
  running: 'Running…',
  broken: (label: string) => `${label} is not valid JSON.`,
  results: 'What it did',
  before: 'Run it, and its requests, logs and result stand here.',
  requests: (n: number) => plural(n, 'request', 'requests'),
  refused: 'not an allowed address',
  calls: 'Calls of its parameters',
  logs: 'Logs',
  noLogs: 'nothing logged',
  result: 'Result',
  noResult: 'nothing returned',
  error: 'Error',
  at: (line: number | undefined) => (line === undefined ? '' : ` (line ${line})`),
  save: 'Save as draft',
  saveDeploy: 'Save and deploy',
  saveNew: 'Save as a channel',
  name: 'Name of the channel',
  saved: 'Saved.',
  noCrypto: 'This page is not loaded over https, so the browser cannot seal the code. Use the command line.',
  starters: {
    playground: `async tag({ event, user, secrets, fetch, logger }) {
  const answer = await fetch('https://crm.example.com/events', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: event.eventName, email: user.email }),
  })
  logger.log(answer.status)
}
`,
    webhook: `async function process({ request, secrets, handleTag, logger }) {
  const event = await request.json()
  logger.log(event.eventName)
  return new Response(null, { status: 204 })
}
`,
  },
}
