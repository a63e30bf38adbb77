import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fault } from '#contract/fault.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { Store } from '#store/store.ts'
import { turnedClock } from '../../test/fake/clock.ts'
import { type AttemptLimiter, createAttemptLimiter } from './attemptLimiter.ts'
import { openKeyring } from './keyring.ts'

const keys = openKeyring(Buffer.alloc(32, 7), 'production')
const clock = turnedClock()
const folder = mkdtempSync(join(tmpdir(), 'aglet-attempts-'))
let store: Store
let limiter: AttemptLimiter
/** Another process. */
let other: AttemptLimiter
before(async () => {
  store = await openSqliteStore(join(folder, 'store.db'))
  limiter = createAttemptLimiter({ clock, keys, store })
  other = createAttemptLimiter({ clock, keys, store })
})
after(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const fail = () => Promise.reject(fault('signInRefused'))
const isFault = (name: string) => ({ fault: name })
const refused = (each: Promise<unknown>) => assert.rejects(each, isFault('tooManyAttempts'))

test('attempts of all processes count together, and the answer tells when to come again', async () => {
  const names = [limiter.name('sign-in e-mail', 'a', 2)]
  for (const each of [limiter, other]) await assert.rejects(each.runCounted(names, fail), isFault('signInRefused'))
  await clock.turn(60_000)
  for (const each of [limiter, other])
    await assert.rejects(each.runCounted(names, fail), { fault: 'tooManyAttempts', headers: { 'retry-after': '840' } })
  await clock.turn(840_000)
  assert.equal(await other.runCounted(names, async () => 'again'), 'again')
})

test('an address that has used up its attempts counts none for an e-mail', async () => {
  const address = limiter.name('sign-in address', '192.0.2.1', 1)
  const email = limiter.name('sign-in e-mail', 'victim', 1)
  await assert.rejects(limiter.runCounted([address], fail))
  for (let time = 0; time < 3; time++) await refused(limiter.runCounted([address, email], fail))
  assert.equal(await other.runCounted([email], async () => 'signed in'), 'signed in')
})

test('where a later name may not try, the attempt of the earlier one is taken back', async () => {
  const address = limiter.name('sign-in address', '192.0.2.2', 1)
  const email = limiter.name('sign-in e-mail', 'b', 1)
  await assert.rejects(limiter.runCounted([email], fail))
  await refused(limiter.runCounted([address, email], fail))
  assert.equal(await limiter.runCounted([address], async () => 'other e-mail'), 'other e-mail')
})

test('a malformed attempt, and one while the server is overloaded, do not count', async () => {
  const names = [limiter.name('sign-up address', '192.0.2.3', 1)]
  for (const what of ['badRequest', 'overloaded'] as const)
    await assert.rejects(
      limiter.runCounted(names, () => Promise.reject(fault(what))),
      isFault(what),
    )
  await assert.rejects(limiter.runCounted(names, fail), isFault('signInRefused'))
  await refused(limiter.runCounted(names, fail))
})

test('one name for two purposes is counted apart, and stored as a fingerprint', () => {
  const [one, two] = (['sign-in address', 'sign-up address'] as const).map((each) => limiter.name(each, '192.0.2.4', 1))
  assert.notDeepEqual(one!.name, two!.name)
  assert.equal(one!.name.length, 32)
  assert.equal(Buffer.from(one!.name).includes('192.0.2.4'), false)
})
