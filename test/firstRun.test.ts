import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { client } from '#contract/client.ts'
import { injectedFetch } from '#http/injectedFetch.ts'
import { systemClock } from '#kit/clock.ts'
import { silentLog } from '#kit/log.ts'
import { noMeter } from '#kit/meter.ts'
import { openParser } from '#sandbox/parseCode.ts'
import { readSettings } from '#settings/settings.ts'
import { openSqliteStore } from '#store/sqlite/sqliteStore.ts'
import type { Store } from '#store/store.ts'
import { openLogStream } from '#stream/log/logStream.ts'
import { createDataDir, resolveDataDir } from '../src/runtime/dataDir.ts'
import { findDemo } from '../src/runtime/demo.ts'
import { type EnvironmentRuntime, openEnvironmentRuntime } from '../src/runtime/environmentRuntime.ts'
import { runFirstStart } from '../src/runtime/firstRun.ts'
import { openControlApp } from '../src/runtime/serverRuntime.ts'
import { openCustomerSandbox } from '../src/runtime/sharedRuntime.ts'
import { isFullRun } from './fake/cases.ts'

const origin = 'http://127.0.0.1:4000'
const folder = mkdtempSync(join(tmpdir(), 'aglet-first-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/**
 * An environment as opened by a start, with sealing keys shared by all tests. `write` wraps the store's own.
 */
async function open(name: string, write: (change: () => Promise<void>) => Promise<void> = (change) => change()) {
  const dir = resolveDataDir(join(folder, name))
  createDataDir(dir, ['production'])
  const openStore = async (path: string): Promise<Store> => {
    const store = await openSqliteStore(path)
    return { ...store, write: (changes) => write(() => store.write(changes)) }
  }
  const settings = readSettings({}, {})
  const adapters = { openStore, openStream: openLogStream }
  const environment = await openEnvironmentRuntime('production', { dir, settings, adapters, clock: systemClock })
  const server = {
    version: '0',
    settings,
    log: silentLog,
    meter: noMeter,
    locate: () => ({}),
    rates: () => undefined,
    sandbox: openCustomerSandbox(settings),
    parseCode: openParser(),
    mail: undefined,
    environments: [environment],
  }
  const ready = async () => ({ ready: true, checks: {} })
  const { app } = await openControlApp(server, { ready, metrics: async () => '' })
  const fetch = injectedFetch(app)
  const run = (at = origin) =>
    runFirstStart({
      ...environment,
      origin: at,
      client: (token, teamId) => client({ baseUrl: `${origin}/v1`, token, teamId, fetch }),
    })
  const close = async () => {
    await app.close()
    await environment.close()
  }
  return { environment, run, close }
}

/** The expected state after a first start, whatever interrupted it. */
async function made({ store, snapshots, tagUrl }: EnvironmentRuntime) {
  const teams = await store.teams()
  const { rows: tags } = await store.tags(teams[0]!.teamId, { limit: 10 })
  const { rows: scripts } = await store.scripts(tags[0]!.tagId, { limit: 10 })
  return {
    operator: (await store.person('operator'))?.role,
    teams: teams.map(({ name }) => name),
    tags: tags.map(({ name, settings }) => [name, settings.domain]),
    scripts: scripts.map(({ name, providerId }) => [name, providerId]),
    live: snapshots.get(tags[0]!.tagId)?.scripts.map(({ name }) => name),
    tagUrl: tagUrl(tags[0]!.tagId).replace(tags[0]!.tagId, '…'),
  }
}

const whole = {
  operator: 'operator',
  teams: ['demo'],
  tags: [['demo', 'localhost']],
  scripts: [['demo', 'eventSink']],
  live: ['demo'],
  tagUrl: 'http://127.0.0.1:4000/t/…',
}

test('a first start makes operator, team, tag, token and a live demo script; the next makes nothing', async () => {
  await open('keys').then(({ close }) => close())
  cpSync(join(folder, 'keys'), join(folder, 'whole'), { recursive: true })
  const { environment, run, close } = await open('whole')
  const { token, ...demo } = await run()
  assert.match(token!, /^aglet_live_/)
  assert.deepEqual(await made(environment), whole)
  assert.equal((await environment.authenticate(`Bearer ${token}`)).teamId, demo.teamId)
  assert.deepEqual(await run(), demo)
  assert.deepEqual(await made(environment), whole)
  await close()
})

test('a first start that ends after any of its writes is completed by the next, with one token that works', async (t) => {
  const step = isFullRun ? 1 : 3
  let cut = 1
  for (let isWhole = false; !isWhole; cut += step) {
    assert.ok(cut < 30, 'it comes to an end')
    const name = `cut-${cut}`
    cpSync(join(folder, 'keys'), join(folder, name), { recursive: true })
    let left = cut
    const first = await open(name, (change) => (left-- > 0 ? change() : Promise.reject(new Error('the power is gone'))))
    const before = await first.run().catch(() => undefined)
    isWhole = before !== undefined
    await first.close()

    const second = await open(name)
    const { token = before?.token } = await second.run()
    assert.deepEqual(await made(second.environment), whole, `after ${cut} writes`)
    assert.ok(await second.environment.authenticate(`Bearer ${token}`))
    await second.close()
  }
  t.diagnostic(`${cut - 1} writes`)
})

test('where Aglet listens elsewhere the demo script follows, unless it was pointed elsewhere', async () => {
  cpSync(join(folder, 'whole'), join(folder, 'moved'), { recursive: true })
  const { environment, run, close } = await open('moved')
  const { tagId } = (await findDemo(environment))!
  const version = async () =>
    (await environment.store.scripts(tagId, { limit: 1 })).rows[0]!.secrets.EVENT_SINK_URL!.version
  assert.equal(await version(), 1)
  await run('http://127.0.0.1:5000')
  assert.equal(await version(), 2)
  await run('http://127.0.0.1:5000')
  assert.equal(await version(), 2)
  await environment.store.write([
    { put: 'setting', name: 'demo.address', value: 'http://127.0.0.1:6000/demo/inbox/other' },
  ])
  await run('http://127.0.0.1:7000')
  assert.equal(await version(), 2)
  await close()
})
