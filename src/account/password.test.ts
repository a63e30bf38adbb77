import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf } from './account.fixture.ts'
import { createPasswordHasher, type HashRequest, refuseInvalidPassword } from './password.ts'

const passwords = createPasswordHasher()
const hashRequest = (key = 'a', purpose: HashRequest['purpose'] = 'sign-in'): HashRequest => ({
  environment: 'production',
  purpose,
  key,
})
const { hash, fits } = passwords
/** A cheap hasher, for tests that do not depend on the cost. */
const cost = { N: 2 ** 12, r: 8, p: 1 }

test('a password is stored as a salted slow hash that only it matches, in any Unicode composition', async () => {
  const stored = await hash('café au lait', hashRequest())
  assert.match(stored, /^scrypt\$65536\$8\$2\$[\w-]{22}\$[\w-]{43}$/)
  assert.ok(await fits('cafe\u0301 au lait', stored, hashRequest()))
  const cheap = createPasswordHasher({ cost })
  const [one, other] = await Promise.all([1, 2].map(() => cheap.hash('café au lait', hashRequest())))
  assert.notEqual(one, other)
  assert.ok(await cheap.fits('cafe\u0301 au lait', one, hashRequest()))
  assert.ok(!(await cheap.fits('cafe au lait', one, hashRequest())))
  assert.ok(!(await cheap.fits('', one, hashRequest())))
})

test('without a stored password nothing matches, and the comparison still computes a hash', async () => {
  const begun = performance.now()
  assert.ok(!(await fits('whatever it is', undefined, hashRequest())))
  const unknownMs = performance.now() - begun
  assert.ok(unknownMs > 20, `${unknownMs} ms`)
  assert.ok(!(await createPasswordHasher({ cost }).fits('', undefined, hashRequest())))
})

test('a password of fewer than 10 or more than 200 characters is refused', async () => {
  for (const password of ['', 'ninechars', 'x'.repeat(201), 'x'.repeat(2_000_000)]) {
    const refused = await faultOf(hash(password, hashRequest()))
    assert.match(JSON.stringify(refused.attributes), /10 to 200 characters/)
  }
  refuseInvalidPassword('😀'.repeat(10))
  assert.ok(!(await fits('x'.repeat(100_000), undefined, hashRequest())))
})

test('above the queue limits a hash is refused at once with Retry-After, and queued hashes complete', async () => {
  const few = createPasswordHasher({ limits: { parallel: 1, maxPerLane: 2, maxPerKey: 1 }, cost })
  const taken = ['a', 'a', 'b'].map((key) => few.fits('some password', undefined, hashRequest(key)))
  for (const key of ['a', 'c']) {
    const { fault, headers } = await faultOf(few.fits('some password', undefined, hashRequest(key)))
    assert.equal(fault, 'overloaded')
    assert.match(JSON.stringify(headers), /"retry-after":"[1-9]\d*"/)
  }
  taken.push(few.fits('some password', undefined, hashRequest('a', 'change')))
  assert.deepEqual(await Promise.all(taken), [false, false, false, false])
})

test('by default two hashes run, 64 of a purpose wait and 32 of a person, and the next is refused', async () => {
  const usual = createPasswordHasher({ cost: { N: 16, r: 8, p: 1 } })
  const refused = async (keyOf: (n: number) => string, count: number) => {
    const hashes = Array.from({ length: count }, (_, n) =>
      usual.fits('some password', undefined, hashRequest(keyOf(n))),
    )
    const results = await Promise.allSettled(hashes)
    return results.filter(({ status }) => status === 'rejected').length
  }
  assert.equal(await refused((n) => `person ${n}`, 2 + 64), 0)
  assert.equal(await refused((n) => `person ${n}`, 2 + 64 + 3), 3)
  assert.equal(await refused(() => 'person', 2 + 32), 0)
  assert.equal(await refused(() => 'person', 2 + 32 + 3), 3)
})

test('a sign-in waits for at most two password changes, however many one person has queued', async () => {
  const one = createPasswordHasher({ limits: { parallel: 1, maxPerLane: 64, maxPerKey: 32 }, cost })
  const done: string[] = []
  const changes = Array.from({ length: 4 }, async (_, n) => {
    await one.hash('another password', hashRequest('viewer', 'change'))
    done.push(`change ${n}`)
  })
  const signIn = one.fits('some password', undefined, hashRequest('owner')).then(() => done.push('sign-in'))
  await signIn
  assert.deepEqual(done, ['change 0', 'change 1', 'sign-in'])
  await Promise.all(changes)
})

test('hashing does not block the main thread', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  await Promise.all([1, 2, 3].map(() => hash('another password', hashRequest())))
  clearInterval(timer)
  assert.ok(ticks > 3, `${ticks} ticks`)
})
