import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HostClaim, Store } from '#store/store.ts'
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
