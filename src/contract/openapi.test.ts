import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults } from './fault.ts'
import { openapi } from './openapi.ts'
import { faultsOf, operationIds, operations } from './operations.ts'

type Json = { [name: string]: Json }
const baseUrl = 'https://aglet.example/v1'
const text = JSON.stringify(openapi(baseUrl))
const document = JSON.parse(text) as Json
const row = (id: (typeof operationIds)[number]) =>
  document.paths![operations[id].path]![operations[id].method.toLowerCase()]!

test('the description is OpenAPI 3.1, version 1.0.0, at the address it is asked at', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info!.version, '1.0.0')
  assert.deepEqual(document.servers, [{ url: baseUrl }])
})

test('every $ref points to something', () => {
  const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref!)
  assert.ok(refs.length > 20)
  for (const ref of refs) {
    const found = ref
      .slice(2)
      .split('/')
      .reduce<Json | undefined>((at, name) => at?.[name], document)
    assert.ok(found, ref)
  }
})

test('a named schema is written once and pointed to everywhere else', () => {
  assert.ok(document.components!.schemas!.Script!.properties)
  const list = row('listScripts').responses!['200']!.content!['application/json']!.schema!
  assert.deepEqual(list.properties!.scripts!.items, { $ref: '#/components/schemas/Script' })
})

test('there is one description per operation and no two share a method and path', () => {
  const described = Object.values(document.paths!).flatMap((path) => Object.values(path))
  assert.equal(described.length, operationIds.length)
})

/** A stream answers with its own type. */
const contentOf = (id: (typeof operationIds)[number]) => Object.values(row(id).responses!['200']!.content!)[0]!

for (const id of operationIds) {
  const operation = operations[id]
  test(`${id} declares the parameters of its path, its body and its answer`, () => {
    const parameters = Object.values(row(id).parameters!)
    const inPath = parameters.filter((each) => String(each.in) === 'path').map((each) => String(each.name))
    assert.deepEqual(
      inPath,
      [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
    assert.ok(parameters.every((each) => String(each.in) !== 'path' || each.required))
    assert.equal('requestBody' in row(id), 'body' in operation)
    assert.ok(contentOf(id).schema)
  })

  test(`${id} declares every status it can be refused with, with the code of each fault`, () => {
    for (const name of faultsOf(operation)) {
      const { status, code } = faults[name]
      assert.ok(row(id).responses![status]!.content!['application/json']!.examples![code], `${status} ${code}`)
    }
  })

  test(`${id} asks for a token or a session, and the Team-Id, exactly as its row says`, () => {
    const { access } = operation
    const wanted =
      typeof access === 'string' ? { public: [], session: [{ session: [] }] }[access] : [{ bearer: [...access] }]
    assert.deepEqual(row(id).security, wanted)
    const team = JSON.stringify(row(id).parameters).includes('#/components/parameters/TeamId')
    assert.equal(team, operation.teamHeader)
  })
}
