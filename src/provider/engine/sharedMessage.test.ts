import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { cases } from '../../../test/fake/cases.ts'
import { withoutEchoes } from './sharedMessage.ts'

const requestOf = (body: string) => ({ method: 'POST', url: 'https://vendor.example/events', headers: {}, body })

test('a message about several people keeps the words of the vendor and names of fields, and nothing of what they sent', () => {
  const request = requestOf('{"data":[{"click_id":"IwAR0abc","note":"Gold-Member 77"},{"click_id":"IwAR0def"}]}')
  assert.equal(
    withoutEchoes('HTTP 400: click_id IwAR0abc of Gold-member is unknown (code 190)', request),
    'HTTP 400: click_id ••• of •••-••• is unknown (code 190)',
  )
})

test('no word of at least four letters and digits that a request holds is left', () => {
  const word = fc.stringMatching(/^[a-z0-9]{3,11}[0-9]$/)
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), fc.array(word), (sent, further) => {
      const message = withoutEchoes([...sent, ...further].join(' '), requestOf(JSON.stringify({ sent })))
      for (const each of sent) assert.ok(!message.split(' ').includes(each), message)
    }),
    { numRuns: cases(300) },
  )
})

test('of a message about a request that is too long to search the status is left', () => {
  assert.equal(withoutEchoes('HTTP 500: jane', requestOf('x'.repeat(600_000))), 'HTTP 500')
  assert.equal(withoutEchoes('jane', requestOf('x'.repeat(600_000))), '•••')
})
