import { examples, fieldExamples } from '#contract/examples.ts'
import type { Operation } from '#contract/operation.ts'
import { type OperationId, operationIds, operations } from '#contract/operations.ts'
import { type Customer, call, makeCustomer, makeScript, sinkAt } from '../fake/aglet.ts'
import { chosen, corpus, few } from './corpus.ts'
import { encodedDoor, headerDoor, openWatched, rawDoor, send } from './house.ts'
import type { Door } from './measure.ts'
import { placesIn } from './places.ts'

const house = await openWatched('hostile-control')
const { aglet } = house
const rows: Record<string, Operation> = operations
/** What code is run for has a file of its own. */
const elsewhere = new Set(['simulate body.code'])

/** Every body is read alike: one operation is sent what is no JSON of its own. */
const asIs = new Set(['createTag'])
const mostBytes = 2 * 1024 * 1024 - 1_000

type Team = { customer: Customer; ids: Record<string, string>; session: string }

/** A team of its own for each operation, with what its example names: so that a call gets as far as it can. */
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

/** The example with the ids that there are. */
function filled(value: unknown, ids: Record<string, string>): unknown {
  const known = new Map(Object.entries(ids).map(([name, id]) => [fieldExamples[name], id]))
  const text = JSON.stringify(value, (_, each) => known.get(each) ?? each)
  return text === undefined ? undefined : JSON.parse(text)
}

/** Sends a call of an operation, with one thing put in another's place. */
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

/** The body's places: what the schema bounds is filled to its bound with everything, and over it with less. */
function bodyDoors(id: OperationId, { ask, example }: ReturnType<typeof caller>): Door[] {
  const { body } = rows[id]!
  if (!body) return []
  const whole: Door[] = asIs.has(id)
    ? [{ name: `${id} body as it is`, texts: corpus, most: mostBytes, knock: (text) => ask({ body: text }) }]
    : []
  const places = placesIn(body, example).filter(({ path }) => !elsewhere.has(`${id} body${path}`))
  const within = places.flatMap(({ path, maxLength, put }): Door[] => {
    const door = { name: `${id} body${path}`, knock: (text: string) => ask({ body: put(text) }) }
    if (path.endsWith('{name}')) return [{ ...door, texts: few }]
    return maxLength !== undefined && maxLength < 100_000
      ? [
          { ...door, texts: chosen, most: maxLength },
          { ...door, texts: few },
        ]
      : [{ ...door, texts: chosen }]
  })
  return [...whole, ...within]
}

function addressDoors(id: OperationId, { ask, named }: ReturnType<typeof caller>): Door[] {
  const { params, query } = rows[id]!
  const inPath = Object.keys(params?.properties ?? {}).map((name) =>
    encodedDoor(`${id} path.${name}`, chosen, (text) => ask({ params: { [name]: text } })),
  )
  const inQuery = Object.keys(query?.properties ?? {}).flatMap((name) => {
    const others = name === 'tagId' ? '' : `${named}&`
    return [
      encodedDoor(`${id} query.${name}`, chosen, (text) => ask({ query: `${others}${name}=${text}` })),
      rawDoor(`${id} query.${name} as it is`, few, (text) => ask({ query: `${others}${name}=${text}` })),
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
  'if-none-match',
  'last-event-id',
  'cookie',
  'origin',
  'user-agent',
  'x-forwarded-for',
  'host',
  'accept',
  'accept-encoding',
]
const headerDoors = (id: OperationId, { ask }: ReturnType<typeof caller>): Door[] =>
  headers.map((name) => headerDoor(`${id} header ${name}`, chosen, (text) => ask({ headers: { [name]: text } })))

const asked = new Map<OperationId, ReturnType<typeof caller>>()
for (const id of operationIds) asked.set(id, caller(id, await openTeam(id)))
const all = (doorsOf: (id: OperationId, call: ReturnType<typeof caller>) => Door[]) => () =>
  [...asked].flatMap(([id, each]) => doorsOf(id, each))

house.holds('bodies of the control API', all(bodyDoors))
house.holds('addresses of the control API', all(addressDoors))
house.holds('headers of the control API', () =>
  (['createTag', 'readManifest', 'watchDeliveries'] as const).flatMap((id) => headerDoors(id, asked.get(id)!)),
)
