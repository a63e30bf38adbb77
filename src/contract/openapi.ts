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

/** A TypeBox schema is JSON Schema. Named schemas are replaced by a $ref. */
function withReferences(schema: unknown, isRoot = false): unknown {
  const name = nameOf.get(schema)
  if (name && !isRoot) return { $ref: `#/components/schemas/${name}` }
  if (Array.isArray(schema)) return schema.map((each) => withReferences(each))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withReferences(value)]))
}

/** The security requirements of an operation; one of them is enough. */
function securityOf({ access, formerAccess }: Operation): Json[] {
  if (access === 'public') return []
  if (access === 'session' || access === 'operator') return [{ session: [] }, { cookie: [] }]
  return [{ bearer: [...access] }, ...(formerAccess ? [{ bearer: [...formerAccess] }] : []), { cookie: [] }]
}
const contentOf = (schema: TSchema, more: Json, type: string) => ({
  [type]: { schema: withReferences(schema), ...more },
})
const json = (schema: TSchema, more: Json = {}) => contentOf(schema, more, 'application/json')

const exampleIn = (value: unknown): Json => (value === undefined ? {} : { example: value })

const toParameters = (schema: TObject | undefined, place: 'path' | 'query') =>
  Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: schema?.required?.includes(name) ?? false,
    schema: withReferences(field),
    // A comma list: `status=dead,refused`.
    ...((field as { type?: string }).type === 'array' && { style: 'form', explode: false }),
    ...(schema?.required?.includes(name) && exampleIn(fieldExamples[name])),
  }))

/** One response for each error status, with one example for each of its faults. */
function errorResponses(names: readonly FaultName[]): Json {
  const byStatus = Map.groupBy(names, (name) => faults[name].status)
  const responses = [...byStatus].map(([status, faultNames]) => {
    const examples = faultNames.map((name) => {
      const { code, message } = faults[name]
      return [code, { value: { message, statusCode: status, error: code } }]
    })
    const description = faultNames.map((name) => `\`${faults[name].code}\`: ${faults[name].message}`).join('\n\n')
    return [status, { description, content: json(ErrorObject, { examples: Object.fromEntries(examples) }) }]
  })
  return Object.fromEntries(responses)
}

/** The tag of an operation, where it is not the first word of its path. */
const groups: Record<string, string> = {
  me: 'token',
  user: 'token',
  'jwks.json': 'secret',
  'openapi.json': 'reference',
}
const operationGroup = ({ path }: Operation) => {
  const [first = ''] = path.slice(1).split('/')
  return groups[first] ?? first
}

/** The content of a response: the schema of one message of a stream, of one row of an export, or of the JSON body. */
function responseContent({ response, isStream, isExport }: Operation, more: Json) {
  if (isExport)
    return { ...contentOf(response, more, 'application/x-ndjson'), 'text/csv': { schema: { type: 'string' } } }
  return contentOf(response, more, isStream ? 'text/event-stream' : 'application/json')
}

function describeOperation(id: OperationId): Json {
  const operation: Operation = operations[id]
  const { summary, teamHeader, takesVersion, params, query, body } = operation
  const example: { body?: unknown; response?: unknown } = examples[id] ?? {}
  const team = teamHeader ? [{ $ref: '#/components/parameters/TeamId' }] : []
  const version = takesVersion ? [{ $ref: '#/components/parameters/IfMatch' }] : []
  return {
    operationId: id,
    tags: [operationGroup(operation)],
    summary,
    security: securityOf(operation),
    parameters: [...team, ...version, ...toParameters(params, 'path'), ...toParameters(query, 'query')],
    ...(body && { requestBody: { required: true, content: json(body, exampleIn(example.body)) } }),
    responses: {
      200: {
        description: 'Done',
        content: responseContent(operation, exampleIn(example.response)),
      },
      ...errorResponses(faultsOf(operation)),
    },
  }
}

const description = `Scripts, tags, events and their journeys. Every call carries \`Authorization: Bearer <ACCESS_TOKEN>\`, and most
calls also \`Team-Id: <TEAM_ID>\`. The caller seals a script's secrets with the key of \`GET /me\`.
Operations of a person carry the session of \`POST /session\` as bearer token, and no access token. The pages of this origin
carry the session in a cookie, with the header \`Aglet-Session: 1\` and without \`Authorization\`; then every operation of a
team needs \`Team-Id\`, and the role of the person in that team gives the scopes.`

/** The operations as an OpenAPI 3.1 document. `baseUrl` ends with the version segment. */
export function buildOpenapi(baseUrl: string): Json {
  const paths: Record<string, Json> = {}
  for (const id of operationIds) {
    const { path, method } = operations[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Aglet', version: '1.0.0', description },
    servers: [{ url: baseUrl }],
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, withReferences(schema, true)]),
      ),
      parameters: {
        TeamId: {
          name: 'Team-Id',
          in: 'header',
          required: true,
          description: 'the team that the token belongs to',
          schema: { type: 'string' },
        },
        IfMatch: {
          name: 'If-Match',
          in: 'header',
          required: false,
          description: 'the `version` that the write is based on, in quotes; it is refused if another was saved since',
          schema: { type: 'string', example: '"3"' },
        },
      },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'an access token of the team' },
        session: { type: 'http', scheme: 'bearer', description: 'the session of `POST /session`' },
        cookie: {
          type: 'apiKey',
          in: 'cookie',
          name: 'aglet_session',
          description:
            'the session of a page of this origin, which sends `Aglet-Session: 1` (`aglet_sandbox_session` in the sandbox)',
        },
      },
    },
  }
}
