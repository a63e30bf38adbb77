import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { AlertRule } from '#contract/alertRule.ts'
import { createSnapshots } from '#script/snapshot.ts'
import { tag as tagRow } from '#store/store.fixture.ts'
import { cases } from '../../test/fake/cases.ts'
import { keys } from '../../test/fake/deliveryHarness.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import { closeShops, openShop, stopped, stoppedFigures, untilTurning, writeOf } from './alertShop.fixture.ts'
import { newContactPoint } from './contactPoint.ts'

afterEach(closeShops)

/** Each has an alert for each of a hundred tags. */
const rulesOfTeam = cases(100, 20)
const alerts = 100 * rulesOfTeam

test('thousands of alerts in a minute are a few messages to each contact point, and delay no other team', async () => {
  const to = ['slack', 'pagerDuty'] as const
  const rules: AlertRule[] = Array.from({ length: rulesOfTeam }, (_, n) => stopped({ name: `Rule ${n}`, to: [...to] }))
  const shop = await openShop(rules, { kinds: to })
  const { store } = shop.disk
  const snapshots = createSnapshots()
  for (let n = 1; n <= 100; n++) {
    snapshots.put(aTag([aScript('scr_1')], { tagId: `tag_${n}` }))
    if (n > 1) await store.write([{ add: 'tag', row: { ...tagRow(n), tagId: `tag_${n}`, name: `tag ${n}` } }])
  }
  keys.createTeamKey('team_2')
  const owner = { teamId: 'team_2', name: 'teams' }
  const { row } = newContactPoint(owner, writeOf('teams'), undefined, { keys, now: 1, language: 'de' })
  const settings = { kind: 'channelStopped' as const, to: ['teams'] }
  await store.write([
    { add: 'team', row: { teamId: 'team_2', name: 'Other', sealedKey: new Uint8Array([1]), createdAt: 1 } },
    { add: 'tag', row: { ...tagRow(101), tagId: 'tag_101', teamId: 'team_2' } },
    { alerting: { put: 'contactPoint', row } },
    {
      alerting: { put: 'alertRule', row: { ruleId: 'rule_2', teamId: 'team_2', name: 'Own', settings, createdAt: 1 } },
    },
  ])
  snapshots.put(aTag([aScript('scr_2')], { tagId: 'tag_101', teamId: 'team_2' }))
  // The clock moves on once everything is written: the time of the disk is measured separately.
  let writing = 0
  const { write } = store
  store.write = async (changes) => {
    writing++
    await write(changes).finally(() => writing--)
  }
  const written = async () => {
    do await new Promise(setImmediate)
    while (writing > 0)
  }
  let ids = ['scr_1']
  const startedAt = performance.now()
  const begins = shop.clock.now()
  shop.watch({ snapshots, figures: stoppedFigures(shop, () => ids) })
  const isTold = async () => {
    const active = await store.incidents.active()
    const waits = active.some(({ messages }) => messages.some(({ status }) => status !== 'sent'))
    return active.length === alerts + 1 && !waits
  }
  let looks = 0
  let otherTookMs = Number.POSITIVE_INFINITY
  await untilTurning(shop, 'all are written and told', async () => {
    await written()
    const isOtherTold = shop.receivers.got.some(({ kind }) => kind === 'teams')
    if (isOtherTold) otherTookMs = Math.min(otherTookMs, performance.now() - startedAt)
    return looks++ % 10 === 0 && isTold()
  })
  const tookMs = shop.clock.now() - begins
  const other = shop.receivers.got.filter(({ kind }) => kind === 'teams')
  assert.equal(other.length, 1, 'the other team is told once')
  assert.ok(other[0]!.at - begins <= 60_000, `the other team waited ${other[0]!.at - begins} ms`)
  assert.ok(otherTookMs < 60_000, `this machine took ${otherTookMs} ms`)
  // At most one message of a contact point in ten seconds.
  const most = 2 * (Math.ceil(tookMs / 10_000) + 1)
  const own = shop.receivers.got.length - other.length
  assert.ok(own <= most, `${own} messages in ${tookMs} ms`)
  ids = []
  await untilTurning(shop, 'all have ended', async () => {
    await written()
    return looks++ % 10 === 0 && (await store.incidents.active()).length === 0
  })
  const states = new Set(shop.receivers.got.filter(({ kind }) => kind === 'teams').map(({ state }) => state))
  assert.deepEqual([...states], ['started', 'ended'])
  assert.equal((await store.incidents.list('team_1', { limit: 200 })).rows.length, 200)
})
