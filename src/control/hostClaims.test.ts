import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { HostState } from '#contract/tag.ts'
import { openHostProofs } from '#tag/hostProofs.ts'
import { createServedHosts } from '#tag/servedHosts.ts'
import { type Customer, callControl, makeCustomer, openTestControl } from '../../test/fake/testControl.ts'
import { checkHostClaims } from './hostClaims.ts'

const control = await openTestControl()
after(control.close)
const production = control.environments.production
const dayMs = 86_400_000

const put = async (as: Customer, hosts: readonly string[]) => {
  const response = await callControl(control, 'updateTag', as, { values: { tagId: as.tagId }, body: { hosts } })
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body as unknown as { hosts: string[]; hostStates: HostState[] }
}
const read = async (as: Customer) =>
  (await callControl(control, 'readTag', as, { values: { tagId: as.tagId } })).body as unknown as Awaited<
    ReturnType<typeof put>
  >
const stateOf = async (as: Customer, host: string) =>
  (await read(as)).hostStates.find((each) => each.host === host)?.state
const servedTag = (host: string) => production.snapshots.byHost(host)?.tagId
/** Adds the DNS record that proves a host for a tag. */
const prove = (host: string, { tagId }: Customer) => {
  control.names.set(host, 'aglet.example').set(`_aglet.${host}`, tagId)
}
/** Advances the clock by days, running the claim check whenever it is due. */
async function days(count: number) {
  for (let n = 0; n < count; n++) {
    await control.clock.turn(dayMs)
    await checkHostClaims(production)
  }
}

test('a host that a tag lists is claimed, and served once DNS proves it for the tag', async () => {
  const as = await makeCustomer(control)
  const host = 'd.example.com'
  const claimedAt = control.clock.now()
  const { hosts, hostStates } = await put(as, [host.toUpperCase()])
  assert.deepEqual(hosts, [host])
  assert.deepEqual(hostStates, [
    {
      host,
      state: 'missing',
      record: `${host} CNAME aglet.example`,
      proof: `_aglet.${host} TXT ${as.tagId}`,
      endsAt: claimedAt + 7 * dayMs,
    },
  ])
  control.names.set(host, 'aglet.example')
  await control.clock.turn(60_000)
  assert.equal(await stateOf(as, host), 'unproved', 'that it leads here shows nothing')
  assert.equal(servedTag(host), undefined)
  prove(host, as)
  assert.equal(await stateOf(as, host), 'unproved', 'DNS was asked within a minute')
  await control.clock.turn(60_000)
  const [ready] = (await read(as)).hostStates
  assert.deepEqual([ready?.state, ready?.provedAt, ready?.endsAt], ['ready', control.clock.now(), undefined])
  assert.equal(servedTag(host), as.tagId)
})

test('a CNAME whose target contains the tag’s id is both record and proof', async () => {
  const as = await makeCustomer(control)
  control.names.set('one.example.com', `${as.tagId}.aglet.example`)
  const { hostStates } = await put(as, ['one.example.com'])
  assert.equal(hostStates[0]?.state, 'ready')
  assert.equal(servedTag('one.example.com'), as.tagId)
})

test('several teams may claim the same host, and the one that DNS proves is served', async () => {
  const [squatter, owner] = [await makeCustomer(control), await makeCustomer(control)]
  const host = 'd.victim.example'
  control.names.set(host, 'aglet.example')
  assert.equal((await put(squatter, [host])).hostStates[0]?.state, 'unproved')
  prove(host, owner)
  assert.equal((await put(owner, [host])).hostStates[0]?.state, 'ready')
  assert.deepEqual([servedTag(host), await stateOf(squatter, host)], [owner.tagId, 'unproved'])
  const created = await callControl(control, 'createTag', squatter, {
    body: { name: 'new', domain: 'a.com', hosts: [host] },
  })
  assert.deepEqual([created.status, servedTag(host)], [200, owner.tagId])
  assert.equal((created.body.hostStates as HostState[])[0]?.state, 'unproved')
})

test('tags that claim a host concurrently all have a claim, and none is served without a proof', async () => {
  const customers = await Promise.all([1, 2, 3, 4].map(() => makeCustomer(control)))
  const responses = await Promise.all(customers.map((as) => put(as, ['race.example.com'])))
  assert.deepEqual(new Set(responses.map(({ hostStates }) => hostStates[0]?.state)), new Set(['missing']))
  assert.equal(servedTag('race.example.com'), undefined)
})

test('a host is served for another tag as soon as DNS names that tag or the first tag removes the host', async () => {
  const [first, second] = [await makeCustomer(control), await makeCustomer(control)]
  const host = 'moving.example.com'
  prove(host, first)
  await put(first, [host])
  await put(second, [host])
  prove(host, second)
  await control.clock.turn(60_000)
  assert.equal(await stateOf(second, host), 'ready')
  assert.deepEqual([servedTag(host), await stateOf(first, host)], [second.tagId, 'unproved'])
  await put(second, [])
  assert.equal(servedTag(host), first.tagId, 'whose proof is still believed')
  await callControl(control, 'deleteTag', first, { values: { tagId: first.tagId } })
  assert.equal(servedTag(host), undefined)
})

test('the sandbox has separate claims and proofs', async () => {
  const [as, sandbox] = [await makeCustomer(control), await makeCustomer(control, { environment: 'sandbox' })]
  const host = 'both.example.com'
  prove(host, as)
  assert.equal((await put(as, [host])).hostStates[0]?.state, 'ready')
  assert.equal((await put(sandbox, [host])).hostStates[0]?.state, 'unproved')
  assert.equal(control.environments.sandbox.snapshots.byHost(host), undefined)
})

test('a loopback name needs no DNS proof on a server on the loopback, and is no tag’s elsewhere', async () => {
  const as = await makeCustomer(control)
  const refused = await callControl(control, 'updateTag', as, {
    values: { tagId: as.tagId },
    body: { hosts: ['d.localhost'] },
  })
  assert.equal(refused.status, 400)
  const { store } = production
  const host = 'e.localhost'
  await store.write([{ put: 'hosts', tagId: as.tagId, hosts: [host], at: control.clock.now() }])
  for (const [target, isServed] of [
    ['aglet.example', false],
    ['127.0.0.1', true],
  ] as const) {
    const servedHosts = createServedHosts()
    const dns = { texts: async () => [], cname: async () => [], addresses: async () => [] }
    const proofs = openHostProofs({ store, servedHosts, dns, target, clock: control.clock, teamOf: () => as.teamId })
    await control.clock.turn(60_000)
    await proofs.states(as.tagId, [host])
    assert.equal(servedHosts.tagOf(host), isServed ? as.tagId : undefined, target)
  }
})

test('a claim that is not proved in seven days is removed from the saved and the live tag, with an audit entry', async () => {
  const as = await makeCustomer(control)
  prove('kept.example.com', as)
  await put(as, ['never.example.com', 'kept.example.com'])
  const { number } = production.snapshots.get(as.tagId)!
  await days(7)
  assert.deepEqual((await read(as)).hosts, ['never.example.com', 'kept.example.com'])
  await days(1)
  const { hosts, hostStates } = await read(as)
  assert.deepEqual([hosts, hostStates.map(({ state }) => state)], [['kept.example.com'], ['ready']])
  const live = production.snapshots.get(as.tagId)!
  assert.deepEqual([live.number, live.hosts], [number + 1, ['kept.example.com']])
  assert.deepEqual(await production.store.hostClaims({ host: 'never.example.com' }), [])
  const [row] = (await production.store.audit(as.teamId, { limit: 1 })).rows
  assert.deepEqual([row?.by, row?.what, row?.object], ['server', 'updateTag', as.tagId])
})

test('a proof is checked every day, and is lost after three days without it', async () => {
  const as = await makeCustomer(control)
  const host = 'lost.example.com'
  prove(host, as)
  await put(as, [host])
  await days(10)
  assert.deepEqual([servedTag(host), (await read(as)).hostStates[0]?.endsAt], [as.tagId, undefined])
  const provedAt = control.clock.now()
  control.names.delete(`_aglet.${host}`)
  await days(3)
  const [remembered] = (await read(as)).hostStates
  assert.deepEqual([remembered?.state, remembered?.endsAt], ['ready', provedAt + 3 * dayMs])
  assert.equal(servedTag(host), as.tagId)
  await days(1)
  assert.deepEqual([servedTag(host), await stateOf(as, host)], [undefined, 'unproved'])
  prove(host, as)
  await days(1)
  assert.deepEqual([servedTag(host), await stateOf(as, host)], [as.tagId, 'ready'])
})
