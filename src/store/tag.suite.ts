import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { RetentionCutoffs } from './deliveryQueries.ts'
import { dropAllExpired } from './retention.fixture.ts'
import type { SnapshotScript } from './snapshot.ts'
import { savedPart, toSnapshotScript } from './snapshotParts.ts'
import {
  allPages,
  at,
  baseChanges,
  deployment,
  plannedEvent,
  putUser,
  script,
  secret,
  settings,
  tag,
} from './store.fixture.ts'
import {
  Conflict,
  type DeploymentRecord,
  type HookRecord,
  type ScriptRecord,
  type Store,
  type StoreChange,
} from './store.ts'

const hook = (n: number): HookRecord => ({
  hookId: `hook_${n}`,
  kind: n === 1 ? 'deploy' : 'alert',
  teamId: 'team_1',
  url: `https://ci.example.com/${n}`,
  sealedSecret: new Uint8Array([n, 255]),
  createdAt: at + n,
})

/** Drops expired data, but nothing of the journal. */
async function dropExpired({ journal }: Store, cutoffs: Pick<RetentionCutoffs, 'journalMs' | 'keptDeployments'>) {
  const none = { failuresMs: 0, bodiesMs: 0, failedBodiesMs: 0, hourlyRollupMs: 0, dailyRollupMs: 0 }
  await dropAllExpired(journal, { ...none, ...cutoffs })
}

/** The laws of every store for changing and dropping tags, and for their host claims, deployments and hooks. */
export function tagLaws(store: () => Store): void {
  describe('tags', () => {
    before(() => store().write(baseChanges))

    test('a put replaces the name and settings of a tag', async () => {
      const row = { ...tag(), name: 'renamed', settings: { ...settings, gpc: false } }
      await store().write([{ put: 'tag', row }])
      assert.deepEqual(await store().tag('tag_1'), row)
      await store().write([{ add: 'tag', row: tag(2) }])
      const clash = store().write([{ put: 'tag', row: { ...row, name: tag(2).name } }])
      await assert.rejects(clash, (error) => error instanceof Conflict && error.unique === 'tag.name')
    })

    test('several tags may claim a host name; the checks of a claim are kept until its tag drops it', async () => {
      const put = (tagId: string, hosts: string[], claimedAt: number): StoreChange => ({
        put: 'hosts',
        tagId,
        hosts,
        at: claimedAt,
      })
      const claim = (tagId: string, host: string, claimedAt: number) => ({ tagId, host, claimedAt })
      await store().write([{ add: 'tag', row: tag(3) }, put('tag_1', ['b.example.com', 'a.example.com'], at)])
      await store().write([put('tag_3', ['b.example.com'], at + 5)])
      const [own, other] = [claim('tag_1', 'b.example.com', at), claim('tag_3', 'b.example.com', at + 5)]
      assert.deepEqual(await store().hostClaims({ host: 'b.example.com' }), [own, other])
      assert.deepEqual(await store().hostClaims({ tagId: 'tag_1' }), [claim('tag_1', 'a.example.com', at), own])
      assert.equal((await store().hostClaims('all')).length, 3)

      const seen = { ...own, claimedAt: at + 1, provedSince: at + 6, provedAt: at + 7, checkedAt: at + 8 }
      const missing = { ...other, checkedAt: at + 9, isMissing: true } as const
      await store().write([
        { put: 'hostClaim', row: seen },
        { put: 'hostClaim', row: missing },
      ])
      assert.deepEqual(await store().hostClaims({ host: 'b.example.com' }), [seen, missing])
      await store().write([put('tag_1', ['b.example.com', 'c.example.com'], at + 20)])
      assert.deepEqual(await store().hostClaims({ tagId: 'tag_1' }), [seen, claim('tag_1', 'c.example.com', at + 20)])
      await store().write([put('tag_1', [], at + 30), { put: 'hostClaim', row: seen }])
      assert.deepEqual(await store().hostClaims({ host: 'b.example.com' }), [missing])
      assert.deepEqual(await store().hostClaims({ host: 'none.example.com' }), [])
    })

    test('a deployment is found by number, and all are listed newest first', async () => {
      const activated = { ...deployment(3), activates: 1 }
      await store().write([
        { add: 'deployment', row: deployment(1) },
        { add: 'deployment', row: deployment(2) },
        { add: 'deployment', row: activated },
      ])
      assert.deepEqual(await store().deployment('tag_1', 2), deployment(2))
      assert.deepEqual(await store().deployment('tag_1'), activated)
      assert.equal(await store().deployment('tag_1', 4), undefined)
      assert.equal(await store().deployment('tag_2', 1), undefined)
      const all = await allPages(2, (page) => store().history('tag_1', page))
      assert.deepEqual(
        all.map(({ number, activates }) => [number, activates]),
        [
          [3, 1],
          [2, undefined],
          [1, undefined],
        ],
      )
    })

    test('a script is paused until it is resumed, whatever is saved of it meanwhile', async () => {
      await store().write([{ put: 'script', row: script() }])
      await store().write([{ put: 'paused', scriptId: 'scr_1', paused: true }])
      await store().write([{ put: 'script', row: { ...script(), name: 'renamed' } }])
      assert.deepEqual(await store().script('scr_1'), { ...script(), name: 'renamed', paused: true })
      assert.deepEqual(await store().pausedScripts(), ['scr_1'])
      await store().write([
        { put: 'script', row: script() },
        { put: 'paused', scriptId: 'scr_1', paused: false },
      ])
      assert.deepEqual([await store().script('scr_1'), await store().pausedScripts()], [script(), []])
    })

    test('a saved script and its deployment share a part; a part that neither a script nor a deployment has is dropped', async () => {
      const tagId = 'tag_21'
      const saved = (geoRegions: string) => ({ ...script(22, tagId), geoRegions })
      const [first, second, third] = ['DE', 'FR', 'IT'].map(saved) as [ScriptRecord, ScriptRecord, ScriptRecord]
      const deployed = deployment(1, tagId)
      const snapshot = { ...deployed.snapshot, scripts: [toSnapshotScript(second)] }
      const hashes = [first, second, third].map((row) => savedPart(row).hash)
      const kept = async () =>
        [...(await store().snapshotParts(tagId, hashes)).keys()].map((hash) => hashes.indexOf(hash))
      await store().write([
        { add: 'tag', row: tag(21) },
        { put: 'script', row: first },
      ])
      await store().write([{ put: 'script', row: second }])
      assert.deepEqual(await kept(), [1])
      await store().write([{ add: 'deployment', row: { ...deployed, snapshot } }])
      await store().write([{ put: 'script', row: third }])
      assert.deepEqual((await kept()).sort(), [1, 2])
      assert.deepEqual(await store().script('scr_22'), third)
      assert.deepEqual((await store().deployment(tagId))?.snapshot.scripts, [toSnapshotScript(second)])
      await store().write([{ put: 'script', row: second }])
      assert.deepEqual(await kept(), [1])
      await dropExpired(store(), { journalMs: at + 10_000, keptDeployments: 0 })
      assert.deepEqual(await store().script('scr_22'), second)
    })

    test('deployments share the parts that did not change, and an old one takes its own parts and secrets with it', async () => {
      const tagId = 'tag_20'
      const { teamId: _, createdAt: __, version: ___, tagId: ____, ...rest } = script(1, tagId)
      const live = (scriptId: string, geoRegions: string): SnapshotScript => ({
        ...{ scriptId, name: scriptId, providerId: 'eventSink', purchaseValueMode: 'gross', secrets: rest.secrets },
        geoRegions,
      })
      const of = (number: number, ...scripts: SnapshotScript[]): DeploymentRecord => {
        const row = deployment(number, tagId)
        return { ...row, snapshot: { ...row.snapshot, scripts } }
      }
      const [kept, gone] = [live('scr_20', 'EU'), live('scr_21', 'DE')]
      const rows = [of(1, kept, gone), of(2, kept), of(3, kept)]
      await store().write([
        { add: 'tag', row: tag(20) },
        { put: 'script', row: script(20, tagId) },
        { add: 'secret', row: { ...secret(1), secretId: 'sec_20', scriptId: 'scr_20' } },
        { add: 'secret', row: { ...secret(1), secretId: 'sec_21', scriptId: 'scr_21' } },
        { add: 'deployment', row: rows[0]! },
        { add: 'deployment', row: rows[1]!, previous: rows[0]!.snapshot },
        { add: 'deployment', row: rows[2]!, previous: rows[1]!.snapshot },
      ])
      for (const [n, row] of rows.entries()) assert.deepEqual(await store().deployment(tagId, n + 1), row)
      assert.ok((await store().deployments()).some((row) => isDeepStrictEqual(row, rows[2])))
      const [third, second, first] = (await store().history(tagId, { limit: 3 })).rows
      assert.deepEqual(third?.parts, second?.parts)
      assert.ok(new Set(first?.parts).isSupersetOf(new Set(second?.parts)))
      const parts = await store().snapshotParts(tagId, first!.parts)
      assert.equal(parts.size, first!.parts.length)

      await dropExpired(store(), { journalMs: at + 2, keptDeployments: 2 })
      assert.deepEqual(await store().deployment(tagId, 1), undefined)
      assert.deepEqual(await store().deployment(tagId, 2), rows[1])
      assert.equal((await store().snapshotParts(tagId, first!.parts)).size, first!.parts.length - 1)
      const found = ['sec_20', 'sec_21'].map((secretId) => store().secret({ secretId, version: 1 }))
      assert.deepEqual(
        (await Promise.all(found)).map((each) => each?.secretId),
        ['sec_20', undefined],
      )
    })

    test('the hooks of a team are kept until they are dropped', async () => {
      await store().write([1, 2, 3].map((n): StoreChange => ({ add: 'hook', row: hook(n) })))
      assert.deepEqual(await store().hook('hook_2'), hook(2))
      await store().write([{ drop: 'hook', hookId: 'hook_2' }])
      assert.equal(await store().hook('hook_2'), undefined)
      assert.deepEqual(await allPages(1, (page) => store().hooks('team_1', page)), [hook(3), hook(1)])
      assert.deepEqual(await store().hooks('team_none', { limit: 5 }), { rows: [] })
    })

    test('dropping a tag deletes its rows, and none of another tag', async () => {
      const old = { ...secret(1), secretId: 'sec_old', scriptId: 'scr_old' }
      const users = ['tag_7', 'tag_8'].map((tagId) => ({
        tagId,
        userId: 'usr_1',
        sealed: new Uint8Array([1]),
        seenAt: at,
      }))
      const alias = new Uint8Array([9])
      const withOld = deployment(1, 'tag_7')
      withOld.snapshot.scripts.push({
        scriptId: 'scr_old',
        name: 'old',
        providerId: 'eventSink',
        purchaseValueMode: 'gross',
        secrets: {},
      })
      await store().write([
        { add: 'tag', row: tag(7) },
        { add: 'tag', row: tag(8) },
        { put: 'script', row: script(7, 'tag_7') },
        { put: 'script', row: script(8, 'tag_8') },
        { add: 'secret', row: old },
        { add: 'secret', row: { ...secret(1), secretId: 'sec_7', scriptId: 'scr_7' } },
        { add: 'secret', row: { ...secret(1), secretId: 'sec_8', scriptId: 'scr_8' } },
        { add: 'deployment', row: withOld },
        { add: 'deployment', row: deployment(1, 'tag_8') },
        { put: 'hosts', tagId: 'tag_7', hosts: ['seven.example.com'], at },
      ])
      for (const user of users) await putUser(store().users, user, { claims: [alias], confirmed: [alias] })
      await store().write([{ drop: 'tag', tagId: 'tag_7' }])

      assert.equal(await store().tag('tag_7'), undefined)
      assert.equal(await store().script('scr_7'), undefined)
      assert.equal(await store().deployment('tag_7'), undefined)
      assert.deepEqual(await store().hostClaims({ host: 'seven.example.com' }), [])
      assert.equal(await store().users.get('tag_7', 'usr_1'), undefined)
      assert.deepEqual(await store().users.byEmail('tag_7', alias), { claimants: [], isCrowded: false })
      for (const secretId of ['sec_old', 'sec_7'])
        assert.equal(await store().secret({ secretId, version: 1 }), undefined)

      assert.deepEqual(await store().script('scr_8'), script(8, 'tag_8'))
      assert.deepEqual(
        await store()
          .secret({ secretId: 'sec_8', version: 1 })
          .then((row) => row?.scriptId),
        'scr_8',
      )
      assert.equal((await store().deployment('tag_8'))?.number, 1)
      assert.equal((await store().users.byEmail('tag_8', alias)).confirmed, 'usr_1')
      await store().write([{ add: 'tag', row: { ...tag(9), name: tag(7).name } }])
    })

    test('the journal of a dropped tag is kept', async () => {
      await store().write([{ add: 'tag', row: tag(11) }])
      const event = plannedEvent(5, { tagId: 'tag_11' })
      await store().journal.plan([event])
      await store().write([{ drop: 'tag', tagId: 'tag_11' }])
      assert.equal((await store().journal.event('tag_11', 5, 0))?.deliveries.length, event.deliveries.length)
    })
  })
}
