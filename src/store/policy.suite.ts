import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { allPages, at, baseChanges, team } from './store.fixture.ts'
import type { AuditFilter, AuditRecord, PolicyAcceptance, PolicyVersion, Store, StoreChange } from './store.ts'

const version = (number: number, overrides: Partial<PolicyVersion> = {}): PolicyVersion => ({
  policyType: 'TERMS_AND_CONDITIONS',
  version: `${number}`,
  required: false,
  publishedAt: at + number,
  ...overrides,
})
const acceptance = (overrides: Partial<PolicyAcceptance> = {}): PolicyAcceptance => ({
  teamId: 'team_1',
  policyType: 'TERMS_AND_CONDITIONS',
  version: '1',
  by: 'tok_1',
  at,
  from: '192.0.2.1',
  ...overrides,
})
const entry = (number: number, teamId = 'team_1'): AuditRecord => ({
  at: at + number,
  by: 'tok_1',
  what: 'createTag',
  teamId,
})
const add = (row: AuditRecord): StoreChange => ({ add: 'audit', row })

/** The laws of every store for policies, the audit and the keys of teams. */
export function policyLaws(store: () => Store): void {
  describe('policies, audit and keys', () => {
    before(() => store().write(baseChanges))

    test('versions are listed in order of their first publication, also after a change', async () => {
      for (const row of [version(2), version(1), version(3, { policyType: 'PRIVACY_POLICY' })])
        await store().write([{ put: 'policy', row }])
      await store().write([{ put: 'policy', row: version(2, { required: true, url: 'https://aglet.example/terms' }) }])
      assert.deepEqual(await store().policies(), [
        version(2, { required: true, url: 'https://aglet.example/terms' }),
        version(1),
        version(3, { policyType: 'PRIVACY_POLICY' }),
      ])
    })

    test('a withdrawn version is no longer listed, and its acceptances stay', async () => {
      const row = version(1, { policyType: 'DATA_PROCESSING_AGREEMENT' })
      const accepted = acceptance({ teamId: 'team_withdrawn', policyType: 'DATA_PROCESSING_AGREEMENT', version: '1' })
      await store().write([
        { put: 'policy', row },
        { add: 'acceptance', row: accepted },
      ])
      await store().write([{ drop: 'policy', policyType: row.policyType, version: row.version }])
      const types = (await store().policies()).map(({ policyType }) => policyType)
      assert.ok(!types.includes('DATA_PROCESSING_AGREEMENT'))
      assert.deepEqual(await store().acceptances('team_withdrawn'), [accepted])
    })

    test('the first acceptance of a version does not change; each team has its own', async () => {
      const { from: _, ...bare } = acceptance({ version: '2' })
      await store().write([{ add: 'acceptance', row: acceptance() }])
      await store().write([{ add: 'acceptance', row: acceptance({ by: 'tok_2', at: at + 9 }) }])
      await store().write([
        { add: 'acceptance', row: bare },
        { add: 'acceptance', row: acceptance({ teamId: 'team_none' }) },
      ])
      assert.deepEqual(await store().acceptances('team_1'), [acceptance(), bare])
    })

    test('the audit of a team is read newest first, in pages, without rows of other teams', async () => {
      const rows = [1, 2, 3, 4, 5].map((number) => entry(number, 'team_8'))
      const { teamId: _, ...withoutTeam } = entry(9)
      await store().write([...rows.map(add), add(entry(6, 'team_9')), add(withoutTeam)])
      for (const limit of [1, 2, 5, 50])
        assert.deepEqual(await allPages(limit, (page) => store().audit('team_8', page)), rows.toReversed())
    })

    test('the audit is read by actor, operation, object and range of time', async () => {
      const rows = [1, 2, 3, 4].map((number) => ({
        ...entry(number, 'team_6'),
        by: number < 3 ? 'tok_1' : 'person_1',
        what: number % 2 === 0 ? 'updateTag' : 'updateScript',
        object: `tag_${number}`,
      }))
      await store().write(rows.map(add))
      const found = async (filter: AuditFilter) =>
        (await store().audit('team_6', { limit: 10 }, filter)).rows.map(({ object }) => object)
      assert.deepEqual(await found({ by: 'tok_1' }), ['tag_2', 'tag_1'])
      assert.deepEqual(await found({ what: 'updateTag' }), ['tag_4', 'tag_2'])
      assert.deepEqual(await found({ by: 'person_1', object: 'tag_3' }), ['tag_3'])
      assert.deepEqual(await found({ since: rows[1]!.at, before: rows[3]!.at }), ['tag_3', 'tag_2'])
      assert.deepEqual(await found({ object: "tag_1' OR 1=1" }), [])
    })

    test('an audit row keeps the given states before and after', async () => {
      const row = { ...entry(1, 'team_7'), object: 'tag_1', from: '::1', before: { a: [1, null] }, after: { a: 'ü' } }
      await store().write([add(row)])
      assert.deepEqual((await store().audit('team_7', { limit: 1 })).rows, [row])
    })

    test('replacing the key of a team changes nothing else of it', async () => {
      const sealedKey = new Uint8Array([9, 9])
      await store().write([{ put: 'teamKey', teamId: 'team_1', sealedKey }])
      assert.deepEqual(await store().team('team_1'), { ...team(), sealedKey })
    })

    test('renaming a team changes nothing else of it', async () => {
      const before = (await store().team('team_1'))!
      await store().write([{ put: 'teamName', teamId: 'team_1', name: 'Größer' }])
      assert.deepEqual(await store().team('team_1'), { ...before, name: 'Größer' })
    })

    test('a mute of the rules of a team is stored until it is taken back, and changes nothing else of it', async () => {
      const before = (await store().team('team_1'))!
      await store().write([{ put: 'teamMute', teamId: 'team_1', until: at + 5 }])
      assert.deepEqual(await store().team('team_1'), { ...before, alertsMutedUntil: at + 5 })
      await store().write([{ put: 'teamMute', teamId: 'team_1' }])
      assert.deepEqual(await store().team('team_1'), before)
    })

    test('a sealing key keeps the time of its retirement until it is dropped', async () => {
      const pair = { kid: 'k9', publicJwk: '{}', sealedPrivate: new Uint8Array([1]), createdAt: at } as const
      const retiring = { ...pair, state: 'retiring', retiringAt: at + 5 } as const
      await store().write([{ put: 'sealingKey', row: retiring }])
      assert.deepEqual(await store().sealingKeys(), [retiring])
      await store().write([{ drop: 'sealingKey', kid: 'k9' }])
      assert.deepEqual(await store().sealingKeys(), [])
    })
  })
}
