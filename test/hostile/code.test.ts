import { examples } from '#contract/examples.ts'
import { examplesOf } from '#providers/examples/all.ts'
import { providers } from '#providers/index.ts'
import { type Customer, call, makeCustomer, makeScript } from '../fake/aglet.ts'
import { basicTexts, type Hostile, mainTexts, minimalTexts } from './corpus.ts'
import type { EntryPoint } from './measure.ts'
import { openWatchedServer, send } from './watchedServer.ts'

const watched = await openWatchedServer('hostile-code')
const customer = await makeCustomer(watched.aglet, 'hostile')
await call(customer, 'PUT', `/tag/${customer.tagId}`, { consent: 'disabled' })

const mebibyte = 1024 * 1024
/** V8 takes seconds to parse this depth. */
const nestedIn = (open: string, close: string, depth = 500): Hostile => ({
  name: `${depth} × ${open}`,
  of: (bytes) => {
    const rest = Math.max(1, Math.floor((bytes - depth * (open.length + close.length)) / 2))
    return `${open.repeat(depth)}${'x;'.repeat(rest)}${close.repeat(depth)}`
  },
})
const nested = nestedIn('class A{m(){', '}}')
const inMethod = ({ name, of }: Hostile): Hostile => ({
  name: `${name} in a method`,
  of: (bytes) => `async process() {${of(bytes - 20)}}`,
})
/** The texts alone, and inside a function that is run. */
const codes = [...mainTexts, nested, nestedIn('function f(){', '}'), ...[...basicTexts, nested].map(inMethod)]

const post = ({ baseUrl, token, teamId }: Customer, path: string, body: unknown) =>
  send(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'team-id': teamId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const { body: line } = examples.simulate as { body: object }
const { body: shown } = examples.preview as { body: object }
const simulateEntryPoint: EntryPoint = {
  name: 'simulate body.code',
  texts: codes,
  submit: (code) => post(customer, '/simulate', { ...line, code }),
}

/** The variables that hold code, for each provider with code. */
const withCode = Object.entries(providers).flatMap(([id, { code }]) => (code ? [{ id, ...code }] : []))
const previewEntryPoints = withCode.map(
  ({ id, source }): EntryPoint => ({
    name: `preview of ${id}`,
    texts: [...minimalTexts, nested],
    submit: (code) => post(customer, '/preview', { ...shown, provider: id, secrets: { [source]: code } }),
  }),
)
let scripts = 0
const scriptEntryPoints = withCode.map(
  ({ id, source }): EntryPoint => ({
    name: `createScript of ${id}`,
    texts: [...minimalTexts, nested],
    submit: (value) =>
      makeScript(customer, id as 'webhook', `script ${++scripts}`, [{ variable: source, type: 'TEXT', value }], {
        shouldDeploy: false,
      }).catch(() => undefined),
  }),
)

/** Webhooks whose code writes the request's body to every place that code can write to. */
async function webhookEntryPoints(): Promise<EntryPoint[]> {
  const echoes = {
    'in its body': 'async process({ request }) { return new Response(await request.text()) }',
    'in a header':
      'async process({ request }) { return new Response("", { headers: { "x-a": (await request.text()).slice(0, 8000) } }) }',
    'in its log': 'async process({ request, logger }) { logger.log(await request.text()); return new Response("") }',
    'in what it throws': 'async process({ request }) { throw new Error(await request.text()) }',
    'in a name': 'async process({ request }) { return { [await request.text()]: await request.text() } }',
    'in an event':
      'async process({ request, handleTag }) { await handleTag({ eventName: "PageView", eventId: String(Math.random()), timestamp: Date.now(), pageUrl: await request.text() }); return new Response("") }',
    'in a look-up':
      'async process({ request, getUsersByEmail }) { return new Response(JSON.stringify(await getUsersByEmail(await request.text()))) }',
    'in a fetch':
      'async process({ request }) { const a = await fetch(await request.text()); return new Response(a.status) }',
  }
  const entryPoints: EntryPoint[] = []
  for (const [where, code] of Object.entries(echoes)) {
    const made = await call<{ tagId: string; tagUrl: string }>(customer, 'POST', '/tag', {
      name: where,
      domain: 'localhost',
    })
    const own = { ...customer, ...made.body }
    const secrets = [
      { variable: 'WEBHOOK_CODE', type: 'TEXT' as const, value: code },
      { variable: 'WEBHOOK_SECRETS', type: 'TEXT' as const, value: '{"KEY":"sekret-1234"}' },
    ]
    const scriptId = await makeScript(own, 'webhook', where, secrets)
    entryPoints.push({
      name: `webhook answers ${where}`,
      texts: basicTexts,
      maxBytes: 120 * 1024,
      submit: (body) =>
        send(`${own.tagUrl}/webhook/${scriptId}`, { method: 'POST', headers: { 'content-type': 'text/plain' }, body }),
    })
  }
  return entryPoints
}

watched.testEntryPoints('code', () => [simulateEntryPoint, ...previewEntryPoints, ...scriptEntryPoints])
watched.testEntryPoints('answers of webhooks', webhookEntryPoints)

/** Every variable of every provider, in a preview. */
const variableEntryPoints = () =>
  Object.entries(providers).flatMap(([id, { secrets }]) => {
    const given = examplesOf(id)[0]?.secrets ?? {}
    const bytes = Math.floor(mebibyte / 2)
    return Object.keys(secrets).map(
      (variable): EntryPoint => ({
        name: `preview of ${id} with ${variable}`,
        texts: basicTexts,
        maxBytes: bytes,
        submit: (text) =>
          post(customer, '/preview', { ...shown, provider: id, secrets: { ...given, [variable]: text } }),
      }),
    )
  })
watched.testEntryPoints('variables of the catalogue', variableEntryPoints)
