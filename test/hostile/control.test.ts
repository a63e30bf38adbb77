import { examples, fieldExamples } from '#contract/examples.ts'
import type { Operation } from '#contract/operation.ts'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import { type Customer, call, makeCustomer, makeScript, sinkAt } from '../fake/aglet.ts'
import { allTexts, basicTexts, mainTexts } from './corpus.ts'
import type { EntryPoint } from './measure.ts'
import { positionsInSchema } from './textPositions.ts'
import { encodedEntryPoint, headerEntryPoint, openWatchedServer, rawEntryPoint, send } from './watchedServer.ts'

const watched = await openWatchedServer('hostile-control', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const { aglet } = watched
const rows: Record<string, Operation> = operations
/** Positions that hold code are tested in code.test.ts. */
const elsewhere = new Set(['simulate body.code'])

/** All operations parse bodies in the same way, so only one gets bodies that are not JSON. */
const asIs = new Set(['createTag'])
const mostBytes = 2 * 1024 * 1024 - 1_000

type Team = { customer: Customer; ids: Record<string, string>; session: string }

/** Creates a team for one operation, with the objects that its example names, so that the call passes its checks. */
async function openTeam(name: string): Promise<Team> {
  const customer = await makeCustomer(aglet, name)
  const { tagId, teamId } = customer
  const scriptId = await makeScript(customer, 'eventSink', 'sink', sinkAt('http://127.0.0.1:9/in'))
  const made = await call<{ applicationId: string }>(customer, 'POST', '/application', {
    name: 'app',
    scopes: ['script:read'],
  })
  const invited = await call<{ url: string }>(customer, 'POST', '/invitation', { role: 'owner' })
  const joined = await call<{ session: string }>(customer, 'POST', '/person', {
    invitation: invited.body.url,
    name: 'Ada',
    email: `${name}@example.com`.toLowerCase(),
    password: 'correct horse battery',
  })
  return { customer, session: joined.body.session, ids: { tagId, teamId, scriptId, ...made.body } }
}

/** The example with the ids of the created objects. */
function filled(value: unknown, ids: Record<string, string>): unknown {
  const known = new Map(Object.entries(ids).map(([name, id]) => [fieldExamples[name], id]))
  const text = JSON.stringify(value, (_, each) => known.get(each) ?? each)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Calls an operation with one part of its example replaced. */
function caller(id: OperationId, { customer, ids, session }: Team) {
  const { method, path, access, body } = rows[id]!
  const token = access === 'session' ? session : customer.token
  const headers = {
    ...(access !== 'public' && { authorization: `Bearer ${token}` }),
    'team-id': customer.teamId,
    ...(body && { 'content-type': 'application/json' }),
  }
  const example = filled((examples[id] as { body?: unknown } | undefined)?.body, ids)
  const asked = { tagId: ids.tagId! }
  type Put = { params?: Record<string, string>; query?: string; headers?: Record<string, string>; body?: unknown }
  const ask = ({ params = {}, query, headers: own = {}, body: sent = example }: Put) => {
    const at = path.replace(/\{(\w+)\}/g, (_, name) => params[name] ?? String(ids[name] ?? fieldExamples[name]))
    const search = query ?? (rows[id]!.query?.properties.tagId ? `tagId=${asked.tagId}` : '')
    const url = `${customer.baseUrl}${at}${search && `?${search}`}`
    return send(url, {
      method,
      headers: { ...headers, ...own },
      ...(body && { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
    })
  }
  return { ask, example, named: `tagId=${asked.tagId}` }
}

/** The positions of a body. A text with a limit is sent up to the limit, and some texts above it. */
function bodyEntryPoints(id: OperationId, { ask, example }: ReturnType<typeof caller>): EntryPoint[] {
  const { body } = rows[id]!
  if (!body) return []
  const whole: EntryPoint[] = asIs.has(id)
    ? [{ name: `${id} body as it is`, texts: allTexts, maxBytes: mostBytes, submit: (text) => ask({ body: text }) }]
    : []
  const places = positionsInSchema(body, example).filter(({ path }) => !elsewhere.has(`${id} body${path}`))
  const within = places.flatMap(({ path, maxLength, put }): EntryPoint[] => {
    const entryPoint = { name: `${id} body${path}`, submit: (text: string) => ask({ body: put(text) }) }
    if (path.endsWith('{name}')) return [{ ...entryPoint, texts: basicTexts }]
    return maxLength !== undefined && maxLength < 100_000
      ? [
          { ...entryPoint, texts: mainTexts, maxBytes: maxLength },
          { ...entryPoint, texts: basicTexts },
        ]
      : [{ ...entryPoint, texts: mainTexts }]
  })
  return [...whole, ...within]
}

function addressEntryPoints(id: OperationId, { ask, named }: ReturnType<typeof caller>): EntryPoint[] {
  const { params, query } = rows[id]!
  const inPath = Object.keys(params?.properties ?? {}).map((name) =>
    encodedEntryPoint(`${id} path.${name}`, mainTexts, (text) => ask({ params: { [name]: text } })),
  )
  const inQuery = Object.keys(query?.properties ?? {}).flatMap((name) => {
    const others = name === 'tagId' ? '' : `${named}&`
    return [
      encodedEntryPoint(`${id} query.${name}`, mainTexts, (text) => ask({ query: `${others}${name}=${text}` })),
      rawEntryPoint(`${id} query.${name} as it is`, basicTexts, (text) => ask({ query: `${others}${name}=${text}` })),
    ]
  })
  return [...inPath, ...inQuery]
}

/** Headers that the control API reads, on one operation with a body, one without, and one that streams. */
const headers = [
  'authorization',
  'team-id',
  'content-type',
  'content-encoding',
  'if-match',
  'if-none-match',
  'last-event-id',
  'cookie',
  'origin',
  'aglet-session',
  'sec-fetch-site',
  'user-agent',
  'x-forwarded-for',
  'host',
  'accept',
  'accept-encoding',
]
const headerEntryPoints = (id: OperationId, { ask }: ReturnType<typeof caller>): EntryPoint[] =>
  headers.map((name) =>
    headerEntryPoint(`${id} header ${name}`, mainTexts, (text) => ask({ headers: { [name]: text } })),
  )

const asked = new Map<OperationId, ReturnType<typeof caller>>()
for (const id of operationIds) asked.set(id, caller(id, await openTeam(id)))
const all = (entryPointsOf: (id: OperationId, call: ReturnType<typeof caller>) => EntryPoint[]) => () =>
  [...asked].flatMap(([id, each]) => entryPointsOf(id, each))

watched.testEntryPoints('bodies of the control API', all(bodyEntryPoints))
watched.testEntryPoints('addresses of the control API', all(addressEntryPoints))
watched.testEntryPoints('headers of the control API', () =>
  (['createTag', 'readManifest', 'watchDeliveries'] as const).flatMap((id) => headerEntryPoints(id, asked.get(id)!)),
)
