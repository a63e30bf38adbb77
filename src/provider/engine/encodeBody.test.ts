import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCodePoint } from '../../../test/fake/anyCodePoint.ts'
import { encodeBody } from './encodeBody.ts'

const url = 'https://vendor.example'

test('NDJSON has one value in each line, each line ends with a line feed', () => {
  assert.deepEqual(encodeBody({ url, ndjson: [{ a: 'x\ny' }, { b: undefined, c: 1 }] }), {
    body: '{"a":"x\\ny"}\n{"c":1}\n',
    contentType: 'application/x-ndjson',
  })
  const values = fc.array(fc.jsonValue())
  fc.assert(
    fc.property(values, (ndjson) => {
      const { body = '' } = encodeBody({ url, ndjson })
      assert.deepEqual(
        body
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line)),
        JSON.parse(JSON.stringify(ndjson)),
      )
    }),
  )
})

test('XML has elements, lists as repeated elements, and @ members as attributes; undefined members are omitted', () => {
  const xml = { request: { '@id': 7, '@none': undefined, a: 'x', none: undefined, d: ['1', { e: true }] } }
  assert.deepEqual(encodeBody({ url, xml }), {
    body: '<?xml version="1.0" encoding="UTF-8"?><request id="7"><a>x</a><d>1</d><d><e>true</e></d></request>',
    contentType: 'application/xml',
  })
})

test('no text leaves its XML element or attribute, and no invalid character is written', () => {
  const text = fc.string({ unit: anyCodePoint })
  fc.assert(
    fc.property(text, text, text, (value, attribute, name) => {
      const { body = '' } = encodeBody({
        url,
        xml: { r: { a: { '@k': attribute, '#text': value }, [`x${name}`]: '1' } },
      })
      const content = body.slice(body.indexOf('<r>'))
      assert.match(content, /^<r><a k="[^"<]*">[^<]*<\/a><([^\s<>&"'/]+)>1<\/\1><\/r>$/)
      assert.doesNotMatch(content, /[^\t\n\r\x20-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u)
      assert.doesNotMatch(content, /&(?!amp;|lt;|gt;|quot;|apos;)/)
    }),
  )
})

test('a request without a body has no content type', () => {
  assert.deepEqual(encodeBody({ url }), {})
})
