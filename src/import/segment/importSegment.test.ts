import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codesOf, deps, elementNamed, options, scriptNamed, written } from '../import.fixture.ts'
import { ImportError } from '../importResult.ts'
import { readFql } from './fql.ts'
import { HclExpression, readHcl } from './hcl.ts'
import { importSegment } from './importSegment.ts'

const read = (files: Record<string, string>) => importSegment(new Map(Object.entries(files)), options, deps)

const destination = `
# the destination of the shop
resource "segment_destination" "braze" {
  enabled = true
  metadata = {
    id               = "60f9d0d048950c356be2e4da"
    region_endpoints = ["US", "EU"]
  }
  name = "Braze shop"
  settings = jsonencode({
    api_key  = "braze-key-of-the-shop"
    endpoint = "https://rest.iad-03.braze.com"
  })
  source_id = segment_source.web.id
}`
const subscription = (name: string, trigger: string, more = '') => `
resource "segment_destination_subscription" "${name}" {
  destination_id = segment_destination.braze.id
  enabled        = true
  name           = "${name}"
  settings       = jsonencode({ name = { "@path" = "$.event" } })
  trigger        = ${JSON.stringify(trigger)}
  ${more}
}`

test('a destination of Terraform is a channel with the events of its subscriptions', () => {
  const result = read({
    'source.tf': 'resource "segment_source" "web" {\n  enabled = true\n  name = "Web"\n  slug = "web"\n}',
    'braze.tf': `${destination}${subscription('orders', 'type = "track" and event = "Order Completed"')}${subscription('signed', 'event = "Signed Up" or event = "Signed In"')}${subscription('people', 'type = "identify"')}`,
  })
  const script = scriptNamed(result, 'Braze shop')
  assert.deepEqual(script.filter, { eventName: { $in: ['Purchase', 'Signed Up', 'Signed In'] } })
  assert.equal(script.secrets?.BRAZE_REST_ENDPOINT, 'https://rest.iad-03.braze.com')
  assert.equal(result.secrets['Braze shop.BRAZE_API_KEY'], 'braze-key-of-the-shop')
  assert.deepEqual(
    [elementNamed(result, 'orders').channels, elementNamed(result, 'people').channels],
    [['Braze shop'], []],
  )
  assert.equal(elementNamed(result, 'people').status, 'mapped')
  assert.doesNotMatch(Object.values(written(result)).map(String).join(''), /braze-key/)
})

test('answers of the Public API are read the same', () => {
  const result = read({
    'destinations.json': JSON.stringify({
      data: {
        destinations: [
          {
            id: 'd1',
            name: 'GA',
            enabled: true,
            metadata: { id: 'x', slug: 'actions-google-analytics-4' },
            settings: { measurementId: 'G-ABC123' },
          },
        ],
      },
    }),
    'subscriptions.json': JSON.stringify({
      data: { subscriptions: [{ id: 's1', destinationId: 'd1', name: 'p', enabled: true, trigger: 'type = "page"' }] },
    }),
  })
  assert.deepEqual(scriptNamed(result, 'GA').filter, { eventName: 'PageView' })
})

test('a filter that drops events is a condition; another one keeps the channel off', () => {
  const filter = (body: string) =>
    `\nresource "segment_destination_filter" "f" {\n destination_id = segment_destination.braze.id\n enabled = true\n name = "f"\n ${body}\n}`
  const drop = read({
    'a.tf':
      destination +
      subscription('s', 'type = "track"') +
      filter('if = "properties.total < 10"\n actions = [{ type = "DROP" }]'),
  })
  assert.deepEqual(scriptNamed(drop, 'Braze shop').filter, {
    eventName: { $nin: ['PageView', 'ScreenView', 'Group'] },
    $not: {
      $or: [
        {
          eventName: { $nin: ['ViewContent', 'AddToCart', 'RemoveFromCart'] },
          $or: [{ data: { total: { $lt: 10 } } }, { data: { value: { $lt: 10 } } }],
        },
        {
          eventName: { $in: ['ViewContent', 'AddToCart', 'RemoveFromCart'] },
          data: { contents: { total: { $lt: 10 } } },
        },
      ],
    },
  })
  const sampled = read({
    'a.tf':
      destination +
      subscription('s', 'type = "track"') +
      filter('if = ""\n actions = [{ type = "SAMPLE", percent = 0.1 }]'),
  })
  assert.equal(scriptNamed(sampled, 'Braze shop').sample, 0.1)
  const other = read({
    'a.tf':
      destination +
      subscription('s', 'type = "track"') +
      filter('if = "type = \\"track\\""\n actions = [{ type = "DROP_PROPERTIES", fields = jsonencode({}) }]'),
  })
  assert.deepEqual(
    other.inactive.map(({ name }) => name),
    ['Braze shop'],
  )
})

test('what is no literal, no event or no equivalent is told with its line', () => {
  const result = read({
    'a.tf': `${destination}${subscription('glob', 'typeof(properties.a) = "string"')}${subscription('retl', 'event = "new"', 'reverse_etl_schedule = { strategy = "PERIODIC" }')}
resource "segment_destination" "computed" {
  for_each = var.all
  name     = "x"
}
resource "segment_function" "mine" {
  code = "async function onTrack() {}"
  display_name = "Mine"
}`,
    'b.tf': 'resource "segment_source" "web" {\n  name = "never closed\n}',
  })
  assert.deepEqual(codesOf(result, 'glob'), ['CONDITION_NOT_EXPRESSIBLE'])
  assert.deepEqual(codesOf(result, 'retl'), ['SCHEDULE'])
  assert.deepEqual(codesOf(result, 'Mine'), ['CUSTOM_CODE'])
  const unread = result.report.elements
    .filter(({ kind }) => kind === 'file')
    .map(({ name, notes }) => `${name} ${notes[0]?.text}`)
  assert.match(unread[0]!, /^a\.tf Line \d+: .*segment_destination computed/)
  assert.match(unread[1]!, /^b\.tf Line 2: a text has no end/)
})

test('texts of HCL are read: heredocs, escapes, comments, nested objects; code is no literal', () => {
  const { blocks } = readHcl(
    'a "b" {\n c = <<-EOT\n    one\n      two\n    EOT\n d = "q\\"\\u00e4 $${x}" // end\n e = { "f-g" : [1, -2.5, null,], h = true }\n i = var.x[0]\n j { k = 1 }\n}',
  )
  assert.deepEqual(blocks[0]?.body, {
    c: 'one\n  two\n',
    d: `q"ä $${'{x}'}`,
    e: { 'f-g': [1, -2.5, null], h: true },
    i: new HclExpression('var.x[0]'),
    j: { k: 1 },
  })
})

test('FQL is read as filters', () => {
  const filterOf = (text: string) => {
    const found = readFql(text)
    return 'filter' in found ? found.filter : found
  }
  assert.deepEqual(filterOf('type = "track" and event = "Product Added"'), { eventName: 'AddToCart' })
  assert.deepEqual(filterOf('event = "Order Completed" and properties.total >= 10'), {
    eventName: 'Purchase',
    $or: [{ data: { total: { $gte: 10 } } }, { data: { value: { $gte: 10 } } }],
  })
  assert.deepEqual(filterOf('event = "x" and 10 < properties.a'), { eventName: 'x', data: { a: { $gt: 10 } } })
  assert.deepEqual(filterOf('!contains(context.page.url, "/test")'), {
    pageUrl: { $exist: true },
    $not: { pageUrl: { $contains: '/test' } },
  })
  assert.deepEqual(filterOf('event = "Product Added" and match(properties.plan, "pro*")'), {
    eventName: 'AddToCart',
    data: { contents: { plan: { $regex: '^pro.*$' } } },
  })
  assert.deepEqual(filterOf('lowercase(properties.plan) = "pro"'), {
    $or: [
      { data: { plan: { $regex: '(?i)^pro$' } } },
      {
        eventName: { $in: ['ViewContent', 'AddToCart', 'RemoveFromCart'] },
        data: { contents: { plan: { $regex: '(?i)^pro$' } } },
      },
    ],
  })
  assert.deepEqual(filterOf('userId != null'), { userCustomerId: { $exist: true } })
  assert.deepEqual(filterOf('type = "identify" or type = "page"'), { eventName: 'PageView' })
  assert.deepEqual(filterOf('type = "identify"'), { none: true })
  for (const text of [
    'traits.email = "a"',
    'length(properties.a) > 1',
    'event = ',
    '(',
    'properties.__proto__.a = 1',
    '! '.repeat(500),
    'context.ip = "1"',
  ])
    assert.ok('problem' in readFql(text), text)
})

test('other files are refused', () => {
  assert.throws(
    () => read({ 'a.json': '{"x": 1}' }),
    (problem: Error) => problem instanceof ImportError && /not a Segment workspace/.test(problem.message),
  )
})

test('no text of HCL or FQL makes a reader throw', () => {
  const piece = fc.constantFrom(
    'resource',
    '"a"',
    '{',
    '}',
    '[',
    ']',
    '=',
    '<<EOT\n',
    'EOT',
    'jsonencode(',
    ')',
    '"',
    '${',
    '/*',
    '*/',
    '#',
    '\n',
    '1',
    'x',
    '.',
    ',',
    'and',
    'or',
    '!',
    '(',
    'type',
    'event',
    '\\',
  )
  const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(' '))
  fc.assert(
    fc.property(text, (each) => {
      readHcl(each)
      readFql(each)
      written(read({ 'a.tf': each }))
    }),
  )
})
