import assert from 'node:assert/strict'
import { test } from 'node:test'
import { edgeOperations } from './edgeOperations.ts'
import { faults } from './fault.ts'
import { buildOpenapi } from './openapi.ts'
import { AlertMessage, EventSinkMessage, PendingDeploymentMessage } from './openapiWebhooks.ts'
import type { TSchema } from './schema.ts'
import { compileValidator } from './validator.ts'

// biome-ignore lint/suspicious/noExplicitAny: each test asserts the shape that it expects
type Any = any
const address = { baseUrl: 'https://aglet.example/v1', tagUrl: 'https://t.aglet.example/t/{tagId}', brand: 'Acme' }
const document: Any = JSON.parse(JSON.stringify(buildOpenapi(address)))

for (const [id, operation] of Object.entries(edgeOperations)) {
  const { method, path, body, response, example } = operation as Any
  test(`${id} is described below the tag URL, at the origin of tag URLs, with its errors`, () => {
    const item = document.paths[`/t/{tagId}${path}`]
    assert.equal(item.servers[0].url, 'https://t.aglet.example')
    const described = item[method.toLowerCase()]
    assert.equal(described.operationId, id)
    for (const name of operation.faults)
      assert.ok(described.responses[faults[name].status].content['application/json'].examples[faults[name].code], name)
  })

  test(`${id} has examples that match its schemas`, () => {
    if (body) assert.deepEqual(compileValidator(body)(example.body), [])
    if (response) assert.deepEqual(compileValidator(response)(example.response), [])
  })
}

test('the header of the user has the brand in its name', () => {
  const { parameters } = document.paths['/t/{tagId}/tag'].post
  assert.ok(parameters.some(({ name }: Any) => name === 'AcmeUserId'))
})

test('every message of a webhook has an example that matches its schema', () => {
  const schemas: Record<string, TSchema> = {
    deploymentPending: PendingDeploymentMessage,
    channelAlert: AlertMessage,
    eventSink: EventSinkMessage,
  }
  assert.deepEqual(Object.keys(document.webhooks), Object.keys(schemas))
  for (const [id, schema] of Object.entries(schemas)) {
    const { example } = document.webhooks[id].post.requestBody.content['application/json']
    assert.deepEqual(compileValidator(schema)(example), [], id)
  }
})

test('every point in time is an integer of 64 bits, so that a generated client rounds none', () => {
  const wrong: string[] = []
  const isTime = (name: string, description = '') =>
    /At$|^at$|^since$|^timestamp$/.test(name) || /epoch ms/.test(description)
  const walk = (value: Any, path: string): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, each] of Object.entries<Any>(value.properties ?? {}))
      if (isTime(name, each.description) && each.type === 'number') wrong.push(`${path}.${name}`)
      else if (each.enum && each.type !== 'string') wrong.push(`${path}.${name} has no type`)
      else if (each.type === 'number' && each.format !== 'double') wrong.push(`${path}.${name} has no double`)
      else if (each.type === 'integer' && isTime(name, each.description) && each.format !== 'int64')
        wrong.push(`${path}.${name} has no int64`)
    for (const [name, each] of Object.entries(value)) walk(each, `${path}/${name}`)
  }
  walk(document, '')
  assert.deepEqual(wrong, [])
})

test('what the server checks after the schema is told as a format, a pattern or an enum', () => {
  const { ScriptWrite, TagWrite } = document.components.schemas
  assert.ok(ScriptWrite.properties.consentCategory.anyOf[0].enum.includes('advertising'))
  assert.ok(TagWrite.properties.plugins.anyOf[0].items.properties.plugin.enum.includes('botFilter'))
  const hook = document.paths['/hook'].post.requestBody.content['application/json'].schema.properties.url
  assert.equal(hook.format, 'uri')
  assert.ok(new RegExp(hook.pattern).test('https://ci.example.com/aglet'))
  assert.ok(!JSON.stringify(document).includes('"documented"'))
})
