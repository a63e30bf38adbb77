import assert from 'node:assert/strict'
import { test } from 'node:test'
import { examples, fieldExamples } from './examples.ts'
import { openapi } from './openapi.ts'
import { type Operation, operationIds, operations } from './operations.ts'
import { check } from './schema.ts'

type Described = { requestBody?: { content: Content }; responses: Record<string, { content: Content }> }
type Content = { 'application/json': { example?: unknown } }
const { paths } = openapi('https://aglet.example/v1') as { paths: Record<string, Record<string, Described>> }
const described = (id: (typeof operationIds)[number]) =>
  paths[operations[id].path]![operations[id].method.toLowerCase()]!

for (const id of operationIds) {
  const { params, query, body, gives }: Operation = operations[id]

  test(`${id} has an example of what it is asked and what it gives, as its row says`, () => {
    const example: { body?: unknown; gives: unknown } | undefined = examples[id]
    assert.ok(example, 'contract/examples/ has none')
    assert.deepEqual(check(gives)(example.gives), [])
    assert.equal('body' in example, body !== undefined)
    if (body) assert.deepEqual(check(body)(example.body), [])
  })

  test(`${id} shows its examples in the OpenAPI document`, () => {
    const example = examples[id] as { body?: unknown; gives: unknown }
    const { requestBody, responses } = described(id)
    assert.deepEqual(Object.values(responses[200]?.content ?? {})[0]?.example, example.gives)
    assert.deepEqual(requestBody?.content['application/json'].example, example.body)
  })

  test(`every field of the path of ${id}, and those of its query that it needs, have an example`, () => {
    for (const fields of [params, query])
      for (const name of fields?.required ?? []) {
        assert.ok(name in fieldExamples, name)
        assert.deepEqual(check(fields!.properties[name]!)(fieldExamples[name]), [])
      }
  })
}
