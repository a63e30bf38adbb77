import { type OperationId, operationIds, paramsOf } from '#contract/operations.ts'
import { allTexts, basicTexts, mainTexts } from './corpus.ts'
import type { EntryPoint } from './measure.ts'
import { caller, openTeam, rows } from './operationCaller.ts'
import { positionsInSchema } from './textPositions.ts'
import { encodedEntryPoint, headerEntryPoint, openWatchedServer, rawEntryPoint } from './watchedServer.ts'

const watched = await openWatchedServer('hostile-control', { AGLET_ALLOW_PRIVATE_DESTINATIONS: '1' })
const { aglet } = watched
/** Positions that hold code are tested in code.test.ts. */
const elsewhere = new Set(['simulate body.code'])

/** All operations parse bodies alike, so only one gets bodies that are not JSON. */
const asIs = new Set(['createTag'])
const mostBytes = 2 * 1024 * 1024 - 1_000

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
  const { query } = rows[id]!
  const inPath = Object.keys(paramsOf(rows[id]!)?.properties ?? {}).map((name) =>
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
for (const id of operationIds) asked.set(id, caller(id, await openTeam(aglet, id, rows[id]!.access === 'session')))
const all = (entryPointsOf: (id: OperationId, call: ReturnType<typeof caller>) => EntryPoint[]) => () =>
  [...asked].flatMap(([id, each]) => entryPointsOf(id, each))

watched.testEntryPoints('bodies of the control API', all(bodyEntryPoints))
watched.testEntryPoints('addresses of the control API', all(addressEntryPoints))
watched.testEntryPoints('headers of the control API', () =>
  (['createTag', 'readManifest', 'watchDeliveries'] as const).flatMap((id) => headerEntryPoints(id, asked.get(id)!)),
)
