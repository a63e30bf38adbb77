import { examples, fieldExamples } from './examples.ts'
import { ErrorObject, type FaultName, faults } from './fault.ts'
import { Journey } from './journey.ts'
import { Manifest } from './manifest.ts'
import { Jwks, Me, SealingKey } from './me.ts'
import { faultsOf, type Operation, type OperationId, operationIds, operations } from './operations.ts'
import type { TObject, TSchema } from './schema.ts'
import { Script, ScriptWrite, SecretEntry, SecretState } from './script.ts'
import { Tag, TagWrite } from './tag.ts'

const named = { ErrorObject, Journey, Jwks, Manifest, Me, Script, ScriptWrite, SealingKey, SecretEntry, SecretState }
const components: Record<string, TSchema> = { ...named, Tag, TagWrite }
const nameOf = new Map(Object.entries(components).map(([name, schema]) => [schema as unknown, name]))

type Json = Record<string, unknown>

/** Schemas are JSON Schema already; those that have a name are pointed to. */
function pointing(schema: unknown, isRoot = false): unknown {
  const name = nameOf.get(schema)
  if (name && !isRoot) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((each) => pointing(each))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, pointing(value)]))
}

/** Who may call, by the names of the security schemes. */
function securityOf(access: Operation['access']): Json[] {
  if (access === 'public') return []
  return [access === 'session' ? { session: [] } : { bearer: [...access] }]
}
const contentOf = (schema: TSchema, more: Json, type: string) => ({ [type]: { schema: pointing(schema), ...more } })
const json = (schema: TSchema, more: Json = {}) => contentOf(schema, more, 'application/json')

const exampleIn = (value: unknown): Json => (value === undefined ? {} : { example: value })

const fieldsOf = (schema: TObject | undefined, place: 'path' | 'query') =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    schema: pointing(field),
    ...(schema?.required?.includes(name) && exampleIn(fieldExamples[name])),
  }))

/** One response for each status, with one example for each fault that is answered by it. */
function refusals(names: readonly FaultName[]): Json {
  const byStatus = Map.groupBy(names, (name) => faults[name].status)
  const responses = [...byStatus].map(([status, ofStatus]) => {
    const examples = ofStatus.map((name) => {
      const { code, message } = faults[name]
      return [code, { value: { message, statusCode: status, error: code } }]
    })
    const description = ofStatus.map((name) => `\`${faults[name].code}\`: ${faults[name].message}`).join('\n\n')
    return [status, { description, content: json(ErrorObject, { examples: Object.fromEntries(examples) }) }]
  })
  return Object.fromEntries(responses)
}

/** The group of an operation in a reference, where it is not the first word of its path. */
const groups: Record<string, string> = {
  me: 'token',
  user: 'token',
  'jwks.json': 'secret',
  'openapi.json': 'reference',
}
const groupOf = ({ path }: Operation) => {
  const [first = ''] = path.slice(1).split('/')
  return groups[first] ?? first
}

function describe(id: OperationId): Json {
  const operation: Operation = operations[id]
  const { summary, access, teamHeader, params, query, body, gives, streams } = operation
  const example: { body?: unknown; gives?: unknown } = examples[id] ?? {}
  const team = teamHeader ? [{ $ref: '#/components/parameters/TeamId' }] : []
  return {
    operationId: id,
    tags: [groupOf(operation)],
    summary,
    security: securityOf(access),
    parameters: [...team, ...fieldsOf(params, 'path'), ...fieldsOf(query, 'query')],
    ...(body && { requestBody: { required: true, content: json(body, exampleIn(example.body)) } }),
    responses: {
      200: {
        description: 'Done',
        content: contentOf(gives, exampleIn(example.gives), streams ? 'text/event-stream' : 'application/json'),
      },
      ...refusals(faultsOf(operation)),
    },
  }
}

const description = `Scripts, tags, events and their journeys. Every call carries \`Authorization: Bearer <ACCESS_TOKEN>\`, and those
that ask for it \`Team-Id: <TEAM_ID>\`. A script's secrets are sealed by the caller with the key of \`GET /me\`.
What a person does for themselves carries the session of \`POST /session\` as bearer, and no access token.`

/** The operations as an OpenAPI 3.1 document. `baseUrl` ends with the version segment. */
export function openapi(baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const id of operationIds) {
    const { path, method } = operations[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describe(id) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Aglet', version: '1.0.0', description },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, pointing(schema, true)])),
      parameters: {
        TeamId: {
          name: 'Team-Id',
          in: 'header',
          required: true,
          description: 'the team that the token belongs to',
          schema: { type: 'string' },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'an access token of the team' },
        session: { type: 'http', scheme: 'bearer', description: 'the session that `POST /session` gave' },
      },
    },
  }
}
