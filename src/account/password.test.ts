import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf } from './account.fixture.ts'
import { hashPassword, isPassword } from './password.ts'

test('a password is kept as a salted slow hash that only itself fits, however its letters are composed', async () => {
  const [one, other] = [await hashPassword('café au lait'), await hashPassword('café au lait')]
  assert.match(one, /^scrypt\$65536\$8\$2\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(one, other)
  assert.ok(await isPassword('cafe\u0301 au lait', one))
  assert.ok(!(await isPassword('cafe au lait', one)))
  assert.ok(!(await isPassword('', one)))
})

test('where there is no password nothing fits, and it costs a hash all the same', async () => {
  const begun = performance.now()
  assert.ok(!(await isPassword('whatever it is')))
  const unknownMs = performance.now() - begun
  assert.ok(unknownMs > 20, `${unknownMs} ms`)
  assert.ok(!(await isPassword('')))
})

test('fewer than 10 characters and more than 200 are refused', async () => {
  for (const password of ['', 'ninechars', 'x'.repeat(201)]) {
    const refused = await faultOf(hashPassword(password))
    assert.match(JSON.stringify(refused.attributes), /10 to 200 characters/)
  }
  await hashPassword('😀'.repeat(10))
  assert.ok(!(await isPassword('x'.repeat(100_000))))
})
