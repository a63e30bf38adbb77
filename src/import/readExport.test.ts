import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exported, tag } from './gtm/container.fixture.ts'
import { deps, options } from './import.fixture.ts'
import { ImportError } from './importResult.ts'
import type { ImportProduct } from './json.ts'
import { readExport } from './readExport.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const read = (files: Record<string, string>, product?: ImportProduct) =>
  readExport(new Map(Object.entries(files).map(([name, text]) => [name, bytes(text)])), options, { ...deps, product })
const messageOf = (...of: Parameters<typeof read>) => {
  try {
    read(...of)
  } catch (problem) {
    assert.ok(problem instanceof ImportError, String(problem))
    return problem.message
  }
  return assert.fail('it was read')
}

const server = exported({ tag: [tag('GA4', 'sgtmgaaw', { measurementId: 'G-ABC1234567' })] })
const web = exported({ tag: [tag('page', 'googtag', { tagId: 'G-ABC1234567' })] }, 'WEB')
const zaraz = JSON.stringify({ tools: {}, triggers: {}, variables: {} })
const terraform = 'resource "segment_source" "shop" {\n  name = "shop"\n}\n'
const rudderStack = JSON.stringify({ sources: [{ id: 's', name: 'shop', writeKey: 'k', destinations: [] }] })

test('the product of an export is recognised by its first file', () => {
  const products = (files: Record<string, string>) => read(files).report.product
  assert.match(products({ 'a.json': server }), /Google Tag Manager/)
  assert.match(products({ 'web.json': web, 'server.json': server }), /Google Tag Manager/)
  assert.match(products({ 'a.json': zaraz }), /Zaraz/)
  assert.match(products({ 'a.json': `{"success": true, "result": ${zaraz}}` }), /Zaraz/)
  assert.match(products({ 'main.tf': terraform, 'more.tf': terraform.replaceAll('shop', 'app') }), /Segment/)
  assert.match(products({ 'a.json': rudderStack }), /RudderStack/)
})

test('a file of no product, of another one, and too many files are refused with a sentence', () => {
  assert.match(
    messageOf({ 'a.json': '{"name": "shop", "__proto__": 1}' }),
    /not an export of .* members are name, __proto__/,
  )
  assert.match(messageOf({ 'a.json': zaraz }, 'gtm'), /The file is a Zaraz configuration. Choose this product/)
  assert.match(messageOf({ 'a.json': '{"name": "shop"}' }, 'zaraz'), /not a Zaraz configuration/)
  assert.match(messageOf({ 'a.json': zaraz, 'b.json': zaraz }), /Choose one file/)
  assert.match(messageOf({ 'a.json': server, 'b.json': web, 'c.json': web }), /at most two files/)
  assert.match(messageOf({}), /it is empty/)
})
