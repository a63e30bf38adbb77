import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codesOf, deps, options, written } from '../import.fixture.ts'
import { ImportError } from '../importResult.ts'
import { constant, containerFile, exported, onEvent, tag, template, variable } from './container.fixture.ts'
import { importGtm } from './importGtm.ts'
import { allTemplateSpecs } from './templates.ts'

const read = (server: string | Uint8Array) => importGtm({ server }, options, deps)
const refuses = (server: string | Uint8Array, sentence: RegExp) =>
  assert.throws(
    () => read(server),
    (problem: Error) => problem instanceof ImportError && sentence.test(problem.message),
  )

test('a file of another kind is refused with what it is and what to do', () => {
  refuses('', /is empty/)
  refuses('window.x = {"containerVersion": {}}', /not JSON \(line 1, column 1\)/)
  refuses('{\n  "a": 1,\n  oops\n}', /line 3, column 3/)
  refuses('[]', /JSON object/)
  refuses('{"tools": {}, "triggers": {}}', /Zaraz configuration\. Use aglet import zaraz/)
  refuses('{"sources": [{"writeKey": "a"}]}', /RudderStack workspace/)
  refuses('{"data": {"sources": []}}', /Segment API/)
  for (const usage of ['AMP', 'IOS', 'ANDROID']) refuses(exported({}, usage), new RegExp(usage, 'i'))
  refuses(`${'['.repeat(300)}${']'.repeat(300)}`, /nested deeper/)
})

test('a file that is too large or has too many elements is refused before it is read', () => {
  refuses(new Uint8Array(50_000_000), /50 MB; the limit is 20 MB/)
  refuses(
    `{"containerVersion": {"container": {"usageContext": ["SERVER"]}, "tag": [${'0,'.repeat(1_000_000)}0]}}`,
    /1000001 elements in the list tag; the limit is 5000/,
  )
})

test('UTF-8 and UTF-16 with a byte order mark are read', () => {
  const text = exported({ tag: [tag('ä', 'sgtmadscl', {})] })
  for (const bytes of [
    Buffer.from(`\ufeff${text}`, 'utf8'),
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  ])
    assert.equal(read(bytes).report.elements[0]?.name, 'ä')
})

test('cycles of variables, and texts that double in each variable, end in a note', () => {
  const doubling = Array.from({ length: 40 }, (_, n) =>
    constant(`d${n}`, n === 0 ? 'xxxxxxxx' : `{{d${n - 1}}}{{d${n - 1}}}`),
  )
  const result = read(
    exported({
      customTemplate: [template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' })],
      variable: [constant('a', '{{b}}'), constant('b', '{{a}}'), ...doubling],
      trigger: [onEvent('purchase')],
      tag: [
        tag('cycle', 'cvt_9_5', { pixelId: '{{a}}', accessToken: '{{missing}}' }, { firing: ['purchase'] }),
        tag('long', 'cvt_9_5', { pixelId: '{{d39}}', accessToken: 'x' }, { firing: ['gone'] }),
      ],
    }),
  )
  assert.deepEqual(codesOf(result, 'cycle').slice(0, 2), ['CYCLE', 'MISSING_REFERENCE'])
  assert.ok(codesOf(result, 'long').includes('TOO_LONG') && codesOf(result, 'long').includes('MISSING_REFERENCE'))
  written(result)
})

test('names of JavaScript, HTML, control characters and repeated keys do no harm', () => {
  const evil = ['__proto__', 'constructor', '<script>alert(1)</script>', 'a | b\n# c', '\u202e`x`', '']
  const result = read(
    exported({
      customTemplate: [template('5', 'Facebook Conversion API', { gallery: 'stape-io/facebook-tag' })],
      variable: evil.map((name) => variable(name, name, { [name]: 'x' })),
      trigger: [...evil.map(onEvent), onEvent('constructor')],
      tag: evil.map((name) =>
        tag(
          name,
          'cvt_9_5',
          { pixelId: `{{${name}}}`, accessToken: 'tokentoken', customDataList: [{ name, value: name }] },
          { firing: [name, 'toString'], more: { parameter: undefined } },
        ),
      ),
    }),
  )
  const { report, yaml } = written(result)
  assert.doesNotMatch(report, /<script|\u202e/)
  assert.ok(
    report
      .split('\n')
      .filter((line) => line.startsWith('#'))
      .every((line) => /^#+ (?:Import|What|Channels|Meta|Moved|Needs|Not|Codes)/.test(line)),
  )
  assert.ok(yaml.length > 0)
  assert.equal(({} as Record<string, unknown>).x, undefined)
  const repeated = tag('twice', 'sgtmgaaw', { measurementId: 'G-1' }, { firing: ['x'] })
  repeated.parameter.push({ type: 'TEMPLATE', key: 'measurementId', value: 'G-LAST1' })
  const last = read(exported({ trigger: [onEvent('x')], tag: [repeated] }))
  assert.equal(last.configuration.tags[0].scripts[0]?.secrets?.GOOGLE_ANALYTICS_4_MEASUREMENT_ID, 'G-LAST1')
  assert.ok(codesOf(last, 'twice').includes('REPEATED_KEY'))
})

test('no secret is in the configuration or the report, even where somebody wrote it into a name', () => {
  const token = 'EAAB1234567890abcdefTAIL'
  const result = read(
    exported({
      customTemplate: [template('5', `FB ${token}`, { gallery: 'stape-io/facebook-tag' })],
      variable: [constant(`token ${token}`, token)],
      trigger: [onEvent('purchase')],
      tag: [
        tag(
          `FB ${token}`,
          'cvt_9_5',
          { pixelId: '123456', accessToken: `{{token ${token}}}` },
          { firing: ['purchase'] },
        ),
      ],
    }),
  )
  const { yaml, report } = written(result)
  assert.ok(Object.values(result.secrets).includes(token))
  for (const text of [yaml, report, JSON.stringify(result.report)]) assert.ok(!text.includes(token.slice(0, -4)))
})

test('every variable of the tables of templates is one of its provider', () => {
  for (const [repository, { providerId, fields, pairs }] of allTemplateSpecs) {
    const facts = deps.catalogue.get(providerId)
    const known = facts?.secrets?.map(({ variable: name }) => name) ?? []
    for (const name of [...Object.values(fields), ...(pairs ? [pairs.variable] : [])])
      assert.ok(known.includes(name), `${repository}: ${providerId} has no ${name}`)
  }
})

/** Any JSON, to replace any part of a container. */
const json = fc.jsonValue({ maxDepth: 4 })
const broken = fc.record({
  tag: fc.array(
    fc.oneof(
      json,
      fc.record({
        name: json,
        type: fc.constantFrom('sgtmgaaw', 'cvt_9_5', 'html', 'x'),
        parameter: json,
        firingTriggerId: json,
        consentSettings: json,
        paused: json,
      }),
    ),
  ),
  trigger: fc.oneof(
    json,
    fc.array(fc.record({ triggerId: json, name: json, type: json, filter: json, customEventFilter: json })),
  ),
  variable: fc.oneof(
    json,
    fc.array(fc.record({ name: json, type: fc.constantFrom('c', 'smm', 'ed', 'jsm'), parameter: json })),
  ),
  customTemplate: json,
  client: json,
  transformation: json,
})

test('an import of any JSON ends in a configuration that the reader of plan takes, and counts each element once', () => {
  fc.assert(
    fc.property(broken, fc.constantFrom('SERVER', 'WEB'), (lists, usage) => {
      const result = read(JSON.stringify(containerFile(lists as never, usage)))
      written(result)
      const counted = Object.values(result.report.counts).reduce((sum, each) => sum + each, 0)
      assert.equal(counted, result.report.elements.length)
      const tags = lists.tag.filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each))
      assert.equal(result.report.elements.filter(({ kind }) => kind === 'tag').length, tags.length)
    }),
  )
})
