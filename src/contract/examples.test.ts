import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples, fieldExamples } from './examples.ts'
import { buildOpenapi } from './openapi.ts'
import { type Operation, operationIds, operations, paramsOf } from './operations.ts'
import { compileValidator } from './validator.ts'

type Described = { requestBody?: { content: Content }; responses: Record<string, { content: Content }> }
type Content = { 'application/json': { example?: unknown } }
const { paths } = buildOpenapi({
  baseUrl: 'https://aglet.example/v1',
  tagUrl: 'https://aglet.example/t/{tagId}',
  brand: 'Service',
}) as { paths: Record<string, Record<string, Described>> }
const described = (id: (typeof operationIds)[number]) =>
  paths[operations[id].path]![operations[id].method.toLowerCase()]!

for (const id of operationIds) {
  const operation: Operation = operations[id]
  const { query, body, response } = operation

  test(`${id} has an example of its body and its response that match its schemas`, () => {
    const example: { body?: unknown; response: unknown } | undefined = examples[id]
    assert.ok(example, 'contract/examples/ has no example of it')
    assert.deepEqual(compileValidator(response)(example.response), [])
    assert.equal('body' in example, body !== undefined)
    if (body) assert.deepEqual(compileValidator(body)(example.body), [])
  })

  test(`${id} has its examples in the OpenAPI document`, () => {
    const example = examples[id] as { body?: unknown; response: unknown }
    const { requestBody, responses } = described(id)
    assert.deepEqual(Object.values(responses[200]?.content ?? {})[0]?.example, example.response)
    assert.deepEqual(requestBody?.content['application/json'].example, example.body)
  })

  test(`every path field and every required query field of ${id} has an example`, () => {
    for (const fields of [paramsOf(operation), query])
      for (const name of fields?.required ?? []) {
        assert.ok(name in fieldExamples, name)
        assert.deepEqual(compileValidator(fields!.properties[name]!)(fieldExamples[name]), [])
      }
  })
}
