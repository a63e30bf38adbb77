import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeShards } from './eventShards.ts'

const away = 'it has not responded for 3 s'
const describe = (...problems: (string | undefined)[]) => describeShards({ problems: () => problems })

test('a process that reaches some event shards is ready, and names those that it does not reach', () => {
  assert.equal(describe(undefined, undefined), 'ok')
  assert.equal(
    describe(undefined, away, undefined),
    '1 of 3 cannot be reached, and their tags get 503: shard 1: it has not responded for 3 s',
  )
})

test('a process that reaches no event shard is not ready', () => {
  assert.throws(() => describe(away, away), /^Error: 2 of 2 cannot be reached.*shard 0: it has.*; shard 1: it has/)
})
