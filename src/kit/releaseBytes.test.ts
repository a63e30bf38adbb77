import assert from 'node:assert/strict'
import { test } from 'node:test'
import { releaseBytes } from './releaseBytes.ts'

test('a long buffer is empty after its release, also after a second one', () => {
  const bytes = Buffer.alloc(50_000, 1)
  releaseBytes(bytes)
  releaseBytes(bytes)
  assert.equal(bytes.length, 0)
})

test('a part of another buffer, shared memory and a short buffer are left as they are', () => {
  const whole = Buffer.alloc(100_000, 1)
  for (const bytes of [
    whole.subarray(3),
    whole.subarray(0, 50_000),
    new Uint8Array(new SharedArrayBuffer(50_000)).fill(1),
    Buffer.alloc(1_000, 1),
  ]) {
    releaseBytes(bytes)
    assert.ok(bytes.length > 0 && bytes.every((byte) => byte === 1))
  }
})
