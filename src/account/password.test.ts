import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf } from './account.fixture.ts'
import { type HashFor, openPasswords, refuseBadPassword } from './password.ts'

const passwords = openPasswords()
const asked = (key = 'a', purpose: HashFor['purpose'] = 'sign-in'): HashFor => ({
  environment: 'production',
  purpose,
  key,
})
const { hash, fits } = passwords
/** Of what is not about the cost. */
const cost = { N: 2 ** 12, r: 8, p: 1 }

test('a password is kept as a salted slow hash that only itself fits, however its letters are composed', async () => {
  const [one, other] = await Promise.all([hash('café au lait', asked()), hash('café au lait', asked())])
  assert.match(one, /^scrypt\$65536\$8\$2\$[\w-]{22}\$[\w-]{43}$/)
  assert.notEqual(one, other)
  assert.ok(await fits('cafe\u0301 au lait', one, asked()))
  assert.ok(!(await fits('cafe au lait', one, asked())))
  assert.ok(!(await fits('', one, asked())))
})

test('where there is no password nothing fits, and it costs a hash all the same', async () => {
  const begun = performance.now()
  assert.ok(!(await fits('whatever it is', undefined, asked())))
  const unknownMs = performance.now() - begun
  assert.ok(unknownMs > 20, `${unknownMs} ms`)
  assert.ok(!(await fits('', undefined, asked())))
})

test('fewer than 10 characters and more than 200 are refused', async () => {
  for (const password of ['', 'ninechars', 'x'.repeat(201), 'x'.repeat(2_000_000)]) {
    const refused = await faultOf(hash(password, asked()))
    assert.match(JSON.stringify(refused.attributes), /10 to 200 characters/)
  }
  refuseBadPassword('😀'.repeat(10))
  assert.ok(!(await fits('x'.repeat(100_000), undefined, asked())))
})

test('beyond its bounds a hash is refused at once with the time to come again, and what was taken is done', async () => {
  const few = openPasswords({ limits: { parallel: 1, mostPerLane: 2, mostPerKey: 1 }, cost })
  const taken = ['a', 'a', 'b'].map((key) => few.fits('some password', undefined, asked(key)))
  for (const key of ['a', 'c']) {
    const { fault, headers } = await faultOf(few.fits('some password', undefined, asked(key)))
    assert.equal(fault, 'overloaded')
    assert.match(JSON.stringify(headers), /"retry-after":"[1-9]\d*"/)
  }
  taken.push(few.fits('some password', undefined, asked('a', 'change')))
  assert.deepEqual(await Promise.all(taken), [false, false, false, false])
})

test('a sign-in waits for the change that runs and for one more, however many one person has waiting', async () => {
  const one = openPasswords({ limits: { parallel: 1, mostPerLane: 64, mostPerKey: 32 }, cost })
  const done: string[] = []
  const changes = Array.from({ length: 4 }, async (_, n) => {
    await one.hash('another password', asked('viewer', 'change'))
    done.push(`change ${n}`)
  })
  const signIn = one.fits('some password', undefined, asked('owner')).then(() => done.push('sign-in'))
  await signIn
  assert.deepEqual(done, ['change 0', 'change 1', 'sign-in'])
  await Promise.all(changes)
})

test('hashing holds the main thread for no more than it takes to begin', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  await Promise.all([1, 2, 3].map(() => hash('another password', asked())))
  clearInterval(timer)
  assert.ok(ticks > 3, `${ticks} ticks`)
})
