import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { allPages, at, deployment, ground, planned, script, secret, settings, tag } from './store.fixture.ts'
import { type Change, Conflict, type HookRecord, type Store } from './store.ts'

const taken = (error: unknown) => error instanceof Conflict && error.unique === 'host.name'
const hook = (n: number): HookRecord => ({
  hookId: `hook_${n}`,
  kind: n === 1 ? 'deploy' : 'alert',
  teamId: 'team_1',
  url: `https://ci.example.com/${n}`,
  sealedSecret: new Uint8Array([n, 255]),
  createdAt: at + n,
})

/** What every store obeys about tags that change and go, their host names, deployments and hooks. */
export function tagLaws(store: () => Store): void {
  describe('tags', () => {
    before(() => store().write(ground))

    test('a tag that is put again has the new name and settings', async () => {
      const row = { ...tag(), name: 'renamed', settings: { ...settings, gpc: false } }
      await store().write([{ put: 'tag', row }])
      assert.deepEqual(await store().tag('tag_1'), row)
      await store().write([{ add: 'tag', row: tag(2) }])
      const clash = store().write([{ put: 'tag', row: { ...row, name: tag(2).name } }])
      await assert.rejects(clash, (error) => error instanceof Conflict && error.unique === 'tag.name')
    })

    test('a host name leads to one tag of the whole environment, until that tag gives it up', async () => {
      await store().write([
        { add: 'tag', row: tag(3) },
        { put: 'hosts', tagId: 'tag_1', hosts: ['a.example.com', 'b.example.com'] },
      ])
      assert.equal(await store().tagOfHost('b.example.com'), 'tag_1')
      const claim: Change = { put: 'hosts', tagId: 'tag_3', hosts: ['b.example.com'] }
      await assert.rejects(store().write([claim]), taken)
      await store().write([{ put: 'hosts', tagId: 'tag_1', hosts: ['a.example.com'] }, claim])
      assert.equal(await store().tagOfHost('b.example.com'), 'tag_3')
      assert.equal(await store().tagOfHost('a.example.com'), 'tag_1')
      assert.equal(await store().tagOfHost('none.example.com'), undefined)
    })

    test('a deployment is found by its number, and all are listed newest first', async () => {
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
      assert.deepEqual(all, [activated, deployment(2), deployment(1)])
    })

    test('a script that is paused is read so, and one that is put without it is not', async () => {
      await store().write([{ put: 'script', row: { ...script(), paused: true } }])
      assert.equal((await store().script('scr_1'))?.paused, true)
      await store().write([{ put: 'script', row: script() }])
      assert.deepEqual(await store().script('scr_1'), script())
    })

    test('the hooks of a team are kept until they are dropped', async () => {
      await store().write([1, 2, 3].map((n): Change => ({ add: 'hook', row: hook(n) })))
      assert.deepEqual(await store().hook('hook_2'), hook(2))
      await store().write([{ drop: 'hook', hookId: 'hook_2' }])
      assert.equal(await store().hook('hook_2'), undefined)
      assert.deepEqual(await allPages(1, (page) => store().hooks('team_1', page)), [hook(3), hook(1)])
      assert.deepEqual(await store().hooks('team_none', { limit: 5 }), { rows: [] })
    })

    test('a tag that is dropped takes all that hangs on it with it, and nothing of another', async () => {
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
        { put: 'hosts', tagId: 'tag_7', hosts: ['seven.example.com'] },
      ])
      for (const user of users) await store().users.put(user, { claims: [alias], confirmed: [alias] })
      await store().write([{ drop: 'tag', tagId: 'tag_7' }])

      assert.equal(await store().tag('tag_7'), undefined)
      assert.equal(await store().script('scr_7'), undefined)
      assert.equal(await store().deployment('tag_7'), undefined)
      assert.equal(await store().tagOfHost('seven.example.com'), undefined)
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

    test('the journal of a tag that is dropped stays', async () => {
      await store().write([{ add: 'tag', row: tag(11) }])
      const event = planned(5, { tagId: 'tag_11' })
      await store().journal.plan([event])
      await store().write([{ drop: 'tag', tagId: 'tag_11' }])
      assert.equal((await store().journal.event('tag_11', 5, 0))?.deliveries.length, event.deliveries.length)
    })
  })
}
