import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faults } from './fault.ts'
import { needsTeam } from './needsTeam.ts'
import { buildOpenapi } from './openapi.ts'
import { faultsOf, type Operation, operationIds, operations } from './operations.ts'

type Json = { [name: string]: Json }
const baseUrl = 'https://aglet.example/v1'
const address = { baseUrl, tagUrl: 'https://t.aglet.example/t/{tagId}', brand: 'Acme' }
const text = JSON.stringify(buildOpenapi(address))
const document = JSON.parse(text) as Json
const row = (id: (typeof operationIds)[number]) =>
  document.paths![operations[id].path]![operations[id].method.toLowerCase()]!

test('the document is OpenAPI 3.1, version 1.0.0, with the base URL as its server', () => {
  assert.equal(document.openapi, '3.1.0')
  assert.equal(document.info!.version, '1.0.0')
  assert.deepEqual(document.servers, [{ url: baseUrl }])
})

test('every $ref resolves', () => {
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

test('a named schema is defined once and referenced everywhere else', () => {
  assert.ok(document.components!.schemas!.Script!.properties)
  const list = row('listScripts').responses!['200']!.content!['application/json']!.schema!
  assert.deepEqual(list.properties!.scripts!.items, { $ref: '#/components/schemas/Script' })
})

test('each operation has its own method and path', () => {
  const paths = Object.entries(document.paths!).filter(([path]) => !path.startsWith('/t/'))
  const described = paths.flatMap(([, path]) => Object.values(path))
  assert.equal(described.length, operationIds.length)
})

/** The content of the 200 response. A stream has another media type than JSON. */
const contentOf = (id: (typeof operationIds)[number]) => Object.values(row(id).responses!['200']!.content!)[0]!

for (const id of operationIds) {
  const operation = operations[id]
  test(`${id} declares the parameters of its path, its body and its response`, () => {
    const parameters = Object.values(row(id).parameters!)
    const pathNames = parameters.filter((each) => String(each.in) === 'path').map((each) => String(each.name))
    assert.deepEqual(
      pathNames,
      [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    )
    assert.ok(parameters.every((each) => String(each.in) !== 'path' || each.required))
    assert.equal('requestBody' in row(id), 'body' in operation)
    assert.ok(contentOf(id).schema)
  })

  test(`${id} declares every error status, with the code of each fault`, () => {
    for (const name of faultsOf(operation)) {
      const { status, code } = faults[name]
      assert.ok(row(id).responses![status]!.content!['application/json']!.examples![code], `${status} ${code}`)
    }
  })

  test(`${id} declares the token or session and the Team-Id that it requires`, () => {
    const { access, formerAccess } = operation as Operation
    const ofPerson = [{ session: [] }, { cookie: [] }]
    const ofTeam = (granted: readonly string[]) => [
      { bearer: [...granted] },
      ...(formerAccess ? [{ bearer: [...formerAccess] }] : []),
      { cookie: [] },
    ]
    const expected =
      typeof access === 'string' ? { public: [], session: ofPerson, operator: ofPerson }[access] : ofTeam(access)
    assert.deepEqual(row(id).security, expected)
    const team = JSON.stringify(row(id).parameters).includes('#/components/parameters/TeamId')
    assert.equal(team, needsTeam(operation))
  })
}
