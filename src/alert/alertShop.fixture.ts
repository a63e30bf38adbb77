import { type ContactKind, contactKinds } from '#contract/alertKinds.ts'
import type { AlertRule } from '#contract/alertRule.ts'
import { baseChanges } from '#store/store.fixture.ts'
import { until } from '../../test/fake/clock.ts'
import { keys, openDeliveryHarness } from '../../test/fake/deliveryHarness.ts'
import { openReceivers, receiverUrls, routingKey } from '../../test/fake/receivers.ts'
import { aScript, aTag } from '../../test/fake/tag.ts'
import type { AlertFigures } from './alertFigures.ts'
import { createAlertPage } from './alertPage.ts'
import { type AlertWatchDeps, openAlertWatch } from './alertWatch.ts'
import { newContactPoint, openContact, sealContact } from './contactPoint.ts'
import { createStoreFigures } from './storeFigures.ts'

const pageOf = createAlertPage('https://aglet.example/dashboard')
const watches: { stop(): Promise<void> }[] = []
const clocks: { turn(ms: number): Promise<void> }[] = []
/** Stops the watches of a test. */
export async function closeShops(): Promise<void> {
  const stopped = watches.splice(0).map((watch) => watch.stop())
  for (const clock of clocks.splice(0)) await clock.turn(1_000)
  await Promise.all(stopped)
}

export const writeOf = (kind: ContactKind) =>
  kind === 'email'
    ? { kind, address: 'jane@shop.example' }
    : kind === 'pagerDuty'
      ? { kind, routingKey }
      : { kind, url: receiverUrls[kind] }

/** A shop with a channel, a contact point of every kind, and these rules; its vendor can fail. */
export async function openShop(rules: readonly AlertRule[], { kinds = contactKinds as readonly ContactKind[] } = {}) {
  const tag = aTag([aScript('scr_1', { name: 'Meta' })])
  const harness = await openDeliveryHarness(tag)
  const { clock, disk, snapshots, lines } = harness
  const now = clock.now()
  await disk.store.write(baseChanges)
  let secret = ''
  for (const kind of kinds) {
    const { row, settings } = newContactPoint({ teamId: 'team_1', name: kind }, writeOf(kind), undefined, {
      keys,
      now,
      language: 'en',
    })
    secret = settings.secret ?? secret
    const confirmed = sealContact(row, { ...openContact(row, { keys }), isConfirmed: true }, { keys })
    await disk.store.write([{ alerting: { put: 'contactPoint', row: confirmed } }])
  }
  for (const { name, ...settings } of rules)
    await disk.store.write([
      {
        alerting: {
          put: 'alertRule',
          row: { ruleId: `rule ${name}`, teamId: 'team_1', name, settings, createdAt: now },
        },
      },
    ])
  const receivers = openReceivers(clock, () => secret)
  const incidents = async () => (await disk.store.incidents.list('team_1', { limit: 50 })).rows
  const watch = (more: Partial<AlertWatchDeps> = {}) => {
    const { store } = disk
    const figures = createStoreFigures({ clock, store, snapshots, freeDisk: async () => undefined })
    const leases = { holds: async () => true }
    const deps = {
      environment: 'production' as const,
      clock,
      log: (line: object) => lines.push(line as never),
      keys,
      store,
      snapshots,
    }
    const opened = openAlertWatch({
      ...deps,
      leases,
      figures,
      pageOf,
      baseUrl: 'https://aglet.example/v1',
      send: receivers.send,
      sendAlertMail: receivers.sendAlertMail,
      ...more,
    })
    watches.push(opened)
    clocks.push(clock)
    return opened
  }
  return { harness, clock, disk, snapshots, receivers, incidents, watch }
}
export type AlertShop = Awaited<ReturnType<typeof openShop>>

/** Turns the clock second by second, and gives the store the time to write. */
export async function turn({ clock, disk }: AlertShop, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await clock.turn(1_000)
    await disk.store.incidents.active()
  }
}
export async function untilTurning(shop: AlertShop, what: string, holds: () => unknown): Promise<number> {
  const from = shop.clock.now()
  await until(what, async () => {
    await shop.clock.turn(1_000)
    return holds()
  })
  return shop.clock.now() - from
}

export const stopped = (rule: Partial<AlertRule> = {}): AlertRule => ({
  name: 'Stopped',
  kind: 'channelStopped',
  to: ['slack'],
  ...rule,
})
/** Figures by which the channels with these ids are stopped. */
export function stoppedFigures(shop: AlertShop, ids: () => readonly string[]): AlertFigures {
  const { store } = shop.disk
  const figures = createStoreFigures({
    clock: shop.clock,
    store,
    snapshots: shop.snapshots,
    freeDisk: async () => undefined,
  })
  const since = shop.clock.now()
  return { ...figures, stopped: async () => ids().map((scriptId) => ({ scriptId, since })) }
}
