import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseAway } from '#postgres/databaseError.ts'
import { environmentChecks } from './environmentRuntime.ts'

/** The store's text in `/readyz` for an environment whose database fails with this error. */
async function saysOfStore(error: Error, { isAway = false, silentMs = 0 } = {}): Promise<string> {
  const database = { isAway: () => isAway, check: () => Promise.reject(error) }
  const cluster = { members: { silentMs: () => silentMs } }
  const checks = environmentChecks({ environment: 'production', database, cluster } as never)
  return Promise.resolve(checks['production.store']!()).then(
    () => 'ok',
    ({ message }: Error) => message,
  )
}

test('a process says why it is not ready, and names no host of the database', async () => {
  const refused = new DatabaseAway('no primary responds: connect ECONNREFUSED 10.0.0.1:5432')
  assert.equal(await saysOfStore(refused), 'no host of the database accepts writes')
  assert.equal(await saysOfStore(refused, { silentMs: 3_001 }), 'the database has not responded for 3 s')
  assert.equal(
    await saysOfStore(refused, { isAway: true }),
    'the database has not responded since the start: events get 503',
  )
  const fewer = 'the database has 0 standbys that confirm commits, fewer than 1'
  assert.equal(await saysOfStore(new Error(fewer)), fewer)
})
