import { type EdgeOperation, edgeOperations } from './edgeOperations.ts'
import { fieldExamples } from './examples.ts'
import { errorResponses, exampleIn, type Json, json, toParameters } from './openapiParts.ts'
import { Type } from './schema.ts'

/** The tag URLs of an installation: `tagUrl` contains `{tagId}`; the brand is part of a header name. */
export type EdgeAddress = { tagUrl: string; brand: string }

/** The OpenAPI tags of the calls of the edge. */
export const edgeGroups = ['edge'] as const

const tagParams = Type.Object({ tagId: Type.String({ description: 'the id of the tag' }) })
const scriptParams = Type.Object({ scriptId: Type.String({ description: 'the id of a webhook script' }) })

const userHeader = (brand: string) => ({
  name: `${brand}UserId`,
  in: 'header',
  required: false,
  description: 'the user; without it the cookie `tag_user_id`, then `?userId=`, then a new user',
  schema: { type: 'string', maxLength: 200 },
})

const anyContent = { '*/*': { schema: {} } }

/** The responses by status. A webhook's code chooses its own status, so any other status is described as well. */
function responsesOf({ response, mediaType, faults, example }: EdgeOperation): Json {
  const errors = errorResponses(faults)
  if (mediaType === 'any')
    return {
      200: { description: 'As the code answers', content: anyContent },
      ...errors,
      default: { description: 'As the code answers', content: anyContent },
    }
  if (response) return { 200: { description: 'Done', content: json(response, exampleIn(example.response)) }, ...errors }
  const content = { [mediaType!]: { schema: { type: 'string' }, ...exampleIn(example.response) } }
  return { 200: { description: 'Done', content }, 304: { description: 'The caller has it' }, ...errors }
}

function bodyOf({ body, mediaType, example }: EdgeOperation): Json {
  if (mediaType === 'any') return { requestBody: { required: false, content: anyContent } }
  if (!body) return {}
  const content = json(body, exampleIn(example.body))
  const beacon = { 'text/plain': { schema: { type: 'string', description: 'the same JSON; beacons send it so' } } }
  return { requestBody: { required: true, content: { ...content, ...beacon } } }
}

function describeCall(id: string, operation: EdgeOperation, brand: string): Json {
  const { path, summary, description, query, hasNoUser } = operation
  const inPath = path.includes('{scriptId}')
    ? { ...tagParams.properties, ...scriptParams.properties }
    : tagParams.properties
  return {
    operationId: id,
    tags: ['edge'],
    summary,
    description,
    security: hasNoUser ? [] : [{}, { bearer: ['event:write'] }],
    parameters: [
      ...toParameters(Type.Object(inPath), 'path', fieldExamples),
      ...toParameters(query, 'query', { ...fieldExamples, keys: 'email,size' }),
      ...(hasNoUser ? [] : [userHeader(brand), { $ref: '#/components/parameters/OptionalTeamId' }]),
    ],
    ...bodyOf(operation),
    responses: responsesOf(operation),
  }
}

/**
 * The calls below a tag URL on the shared origin. On a tag's own host name, the same calls have no `/t/{tagId}` prefix.
 */
export function buildEdgePaths({ tagUrl, brand }: EdgeAddress): Json {
  const [server = '', rest = ''] = tagUrl.split('/t/')
  const paths: Record<string, Json> = {}
  for (const [id, operation] of Object.entries(edgeOperations)) {
    const path = `/t/${rest}${operation.path}`
    const servers = [
      { url: server, description: 'the origin of tag URLs; a tag’s own host has the path without `/t/{tagId}`' },
    ]
    paths[path] = { servers, ...paths[path], [operation.method.toLowerCase()]: describeCall(id, operation, brand) }
  }
  return paths
}
