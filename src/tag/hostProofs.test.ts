import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostClaim, Store, StoreChange } from '#store/store.ts'
import { openHostProofs } from './hostProofs.ts'
import { createServedHosts } from './servedHosts.ts'

test('a team whose hosts have a name server that never answers delays no proof of another team', async () => {
  const claims: HostClaim[] = [
    ...Array.from({ length: 200 }, (_, n) => ({ host: `h${n}.dead.example`, tagId: `tag_${n % 20}`, claimedAt: 0 })),
    { host: 'd.live.example', tagId: 'tag_live', claimedAt: 0 },
  ]
  const asked = new Set<string>()
  const answerOf = (name: string, records: string[]): Promise<string[]> => {
    asked.add(name)
    return name.endsWith('dead.example') ? new Promise(() => {}) : Promise.resolve(records)
  }
  const dns = {
    texts: (name: string) => answerOf(name, ['tag_live']),
    cname: (name: string) => answerOf(name, []),
    addresses: (name: string) => answerOf(name, ['192.0.2.1']),
  }
  const store = {
    hostClaims: async (of: Parameters<Store['hostClaims']>[0]) =>
      claims.filter((each) => of === 'all' || ('host' in of && of.host === each.host)),
    write: async () => {},
  }
  const servedHosts = createServedHosts()
  const teamOf = (tagId: string) => (tagId === 'tag_live' ? 'team_live' : 'team_dead')
  const clock = { now: () => 1 }
  const proofs = openHostProofs({ store: store as never, servedHosts, dns, target: 'aglet.example', clock, teamOf })
  void proofs.checkDue()
  void proofs.states(
    'tag_0',
    claims.filter(({ tagId }) => tagId === 'tag_0').map(({ host }) => host),
  )
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.equal(servedHosts.tagOf('d.live.example'), 'tag_live')
  const dead = [...asked].filter((name) => name.startsWith('_aglet.') && name.endsWith('dead.example'))
  assert.equal(dead.length, 4, 'a team has four of the places')
})

const target = 'aglet.example'

/** Proofs with the claims of a store in memory, and records that a test sets. */
function openProofs(claims: HostClaim[]) {
  const records = new Map<string, readonly string[]>()
  const answer = async (name: string) => records.get(name) ?? Promise.reject(Object.assign(new Error(), noRecord))
  const asked: string[] = []
  const dns = {
    texts(name: string) {
      asked.push(name)
      return answer(name)
    },
    cname: () => answer('none'),
    addresses: (name: string) => answer(name),
  }
  const store = {
    hostClaims: async (of: Parameters<Store['hostClaims']>[0]) =>
      claims.filter((each) => of === 'all' || ('host' in of && of.host === each.host)),
    async write(changes: readonly StoreChange[]) {
      for (const change of changes)
        if ('put' in change && change.put === 'hostClaim') {
          const { host, tagId } = change.row
          const at = claims.findIndex((each) => each.host === host && each.tagId === tagId)
          claims[at] = change.row
        }
    },
  }
  const servedHosts = createServedHosts()
  const clock = { ms: 1_790_000_000_000, now: () => clock.ms }
  const teamOf = (tagId: string) => `team of ${tagId}`
  const proofs = openHostProofs({ store: store as never, servedHosts, dns, target, clock, teamOf })
  return { proofs, records, asked, servedHosts, clock }
}
const noRecord = { code: 'ENOTFOUND' }
const host = 'd.shop.example'

test('a proof that DNS shows is stored, told and served', async () => {
  const claims: HostClaim[] = [{ host, tagId: 'tag_1', claimedAt: 1_790_000_000_000 }]
  const { proofs, records, servedHosts, clock } = openProofs(claims)
  const [unproved] = await proofs.states('tag_1', [host])
  assert.deepEqual(unproved, {
    host,
    state: 'missing',
    record: `${host} CNAME ${target}`,
    proof: `_aglet.${host} TXT tag_1`,
    endsAt: clock.ms + 7 * 86_400_000,
  })
  records.set(`_aglet.${host}`, ['tag_1']).set(host, ['192.0.2.1'])
  clock.ms += 60_000
  const [ready] = await proofs.states('tag_1', [host])
  assert.deepEqual([ready!.state, ready!.provedAt, ready!.endsAt], ['ready', clock.ms, undefined])
  assert.deepEqual(claims, [
    {
      ...{ host, tagId: 'tag_1', claimedAt: 1_790_000_000_000 },
      ...{ checkedAt: clock.ms, provedSince: clock.ms, provedAt: clock.ms },
    },
  ])
  assert.equal(servedHosts.tagOf(host), 'tag_1')
})

test('a host is looked up at most once a minute, whoever asks, and again if the clock was set back', async () => {
  const { proofs, asked, clock } = openProofs([{ host, tagId: 'tag_1', claimedAt: 1_790_000_000_000 }])
  const lookUpsAfter = async (ms: number) => {
    clock.ms += ms
    asked.length = 0
    await Promise.all([proofs.states('tag_1', [host]), proofs.states('tag_1', [host])])
    return asked.length
  }
  assert.deepEqual([await lookUpsAfter(0), await lookUpsAfter(59_999)], [1, 0])
  assert.deepEqual([await lookUpsAfter(1), await lookUpsAfter(-1)], [1, 1])
})

test('a claim that nobody proved in seven days is returned for removal, and is not stored again', async () => {
  const old: HostClaim = { host, tagId: 'tag_1', claimedAt: 0 }
  const newer: HostClaim = { host, tagId: 'tag_2', claimedAt: 1_790_000_000_000 }
  const { proofs, clock } = openProofs([old, newer])
  assert.deepEqual(await proofs.checkDue(), [old])
  const [state] = await proofs.states('tag_2', [host])
  assert.equal(state!.endsAt, newer.claimedAt + 7 * 86_400_000)
  assert.deepEqual(await proofs.checkDue(), [old], 'the other one is not due')
  clock.ms += 10 * 60_000
  assert.deepEqual(await proofs.checkDue(), [old])
})

test('a host whose claim was removed is no longer served, without a look-up', async () => {
  const at = 1_790_000_000_000
  const claims: HostClaim[] = [{ host, tagId: 'tag_1', claimedAt: at, provedSince: at, provedAt: at }]
  const { proofs, asked, servedHosts } = openProofs(claims)
  await proofs.settle([host, 'other.example'])
  assert.equal(servedHosts.tagOf(host), 'tag_1')
  claims.length = 0
  await proofs.settle([host])
  assert.equal(servedHosts.tagOf(host), undefined)
  assert.deepEqual(asked, [])
})

test('the record of a host names the address of a server without a name', async () => {
  const recordAt = async (target: string) => {
    const claims: HostClaim[] = []
    const store = { hostClaims: async () => claims, write: async () => {} }
    const dns = { texts: async () => [], cname: async () => [], addresses: async () => [] }
    const deps = { store: store as never, servedHosts: createServedHosts(), dns, target, clock: { now: () => 1 } }
    const [state] = await openHostProofs({ ...deps, teamOf: () => undefined }).states('tag_1', [host])
    return state!.record
  }
  const records = await Promise.all(['aglet.example', '192.0.2.1', '2001:db8::1'].map(recordAt))
  assert.deepEqual(records, [`${host} CNAME aglet.example`, `${host} A 192.0.2.1`, `${host} AAAA 2001:db8::1`])
})
