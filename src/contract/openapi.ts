import { examples, fieldExamples } from './examples.ts'
import { needsTeam } from './needsTeam.ts'
import { buildEdgePaths, type EdgeAddress, edgeGroups } from './openapiEdge.ts'
import {
  components,
  contentOf,
  errorResponses,
  exampleIn,
  type Json,
  json,
  toParameters,
  withReferences,
} from './openapiParts.ts'
import { buildWebhooks } from './openapiWebhooks.ts'
import { faultsOf, type Operation, type OperationId, operationIds, operations, paramsOf } from './operations.ts'
import { everyScope, scopeLabels } from './scopes.ts'

/** The security requirements of an operation. One of them is sufficient. */
function securityOf({ access, formerAccess }: Operation): Json[] {
  if (access === 'public') return []
  if (access === 'session' || access === 'operator') return [{ session: [] }, { cookie: [] }]
  return [{ bearer: [...access] }, ...(formerAccess ? [{ bearer: [...formerAccess] }] : []), { cookie: [] }]
}
/** The OpenAPI tags that differ from the first word of the operation's path, by that word. */
const groups: Record<string, string> = {
  me: 'token',
  user: 'token',
  config: 'tag',
  'jwks.json': 'secret',
  'openapi.json': 'reference',
}
const operationGroup = ({ path }: Operation) => {
  const [first = ''] = path.slice(1).split('/')
  return groups[first] ?? first
}

/** Descriptions of tags whose name is not self-explanatory. */
const groupDescriptions: Record<string, string> = {
  edge: 'Calls below the URL of a tag: events, users, consent and the browser SDK.',
  token: 'Access tokens, and what a token may do.',
  secret: 'The keys that seal secrets.',
  reference: 'This document.',
  simulate: 'Runs code of a webhook without sending.',
  preview: 'Shows the requests of an event without sending.',
}

/** The content of a response: the schema of one message of a stream, of one row of an export, or of the JSON body. */
function responseContent({ response, isStream, isExport }: Operation, more: Json) {
  if (isExport)
    return { ...contentOf(response, more, 'application/x-ndjson'), 'text/csv': { schema: { type: 'string' } } }
  return contentOf(response, more, isStream ? 'text/event-stream' : 'application/json')
}

/** Who may call an operation, as a sentence. */
function describeAccess(operation: Operation): string {
  const { access, formerAccess } = operation
  if (access === 'public') return 'Anyone may call it, without a token.'
  if (access === 'session') return 'Needs a signed-in person.'
  if (access === 'operator') return 'Needs the signed-in operator of the server.'
  const list = (scopes: readonly string[]) => scopes.map((scope) => `\`${scope}\``).join(' and ')
  const needed = access.length === 0 ? 'any valid token' : `a token with ${list(access)}`
  const former = formerAccess ? `, or with ${list(formerAccess)}` : ''
  return `Needs ${needed}${former}${needsTeam(operation) ? ', and `Team-Id`' : ''}.`
}

function describeOperation(id: OperationId): Json {
  const operation: Operation = operations[id]
  const { summary, takesVersion, query, body } = operation
  const example: { body?: unknown; response?: unknown } = examples[id] ?? {}
  const team = needsTeam(operation) ? [{ $ref: '#/components/parameters/TeamId' }] : []
  const version = takesVersion ? [{ $ref: '#/components/parameters/IfMatch' }] : []
  return {
    operationId: id,
    tags: [operationGroup(operation)],
    summary,
    description: describeAccess(operation),
    security: securityOf(operation),
    parameters: [
      ...team,
      ...version,
      ...toParameters(paramsOf(operation), 'path', fieldExamples),
      ...toParameters(query, 'query', fieldExamples),
    ],
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

/** Every tag of an operation, in the order of first use. */
const tagsOf = () =>
  [...new Set([...operationIds.map((id) => operationGroup(operations[id])), ...edgeGroups])].map((name) => ({
    name,
    description: groupDescriptions[name] ?? `Calls of \`/${name}\`.`,
  }))

/** The URLs of the installation. `baseUrl` ends with the version segment. */
type OpenapiAddress = { baseUrl: string } & EdgeAddress

const parameters = {
  TeamId: {
    name: 'Team-Id',
    in: 'header',
    required: true,
    description: 'the team that the token belongs to',
    schema: { type: 'string' },
  },
  OptionalTeamId: {
    name: 'Team-Id',
    in: 'header',
    required: false,
    description: 'the team of the access token, if the call has one',
    schema: { type: 'string' },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'the `version` that the write is based on, in quotes; it is refused if another was saved since',
    schema: { type: 'string', example: '"3"' },
  },
}

const securitySchemes = (baseUrl: string): Json => ({
  bearer: {
    type: 'oauth2',
    description: 'an access token of the team, as `Authorization: Bearer`; the operator issues one as well',
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl: `${baseUrl}/oauth/token`,
        scopes: Object.fromEntries(everyScope.map((scope) => [scope, scopeLabels[scope]])),
      },
    },
  },
  session: { type: 'http', scheme: 'bearer', description: 'the session of `POST /session`' },
  cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'aglet_session',
    description:
      'the session of a page of this origin, which sends `Aglet-Session: 1` (`aglet_sandbox_session` in the sandbox)',
  },
})

/** The operations, the calls of the edge and the outgoing webhooks, as an OpenAPI 3.1 document. */
export function buildOpenapi({ baseUrl, ...edge }: OpenapiAddress): Json {
  const paths: Record<string, Json> = {}
  for (const id of operationIds) {
    const { path, method } = operations[id]
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Aglet',
      version: '1.0.0',
      description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      contact: { name: 'The operator of this installation', url: new URL(baseUrl).origin },
    },
    servers: [{ url: baseUrl }],
    tags: tagsOf(),
    paths: { ...paths, ...buildEdgePaths(edge) },
    webhooks: buildWebhooks(),
    components: {
      schemas: Object.fromEntries(
        Object.entries(components).map(([name, schema]) => [name, withReferences(schema, true)]),
      ),
      parameters,
      securitySchemes: securitySchemes(baseUrl),
    },
  }
}
