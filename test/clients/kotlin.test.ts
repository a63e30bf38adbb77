import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { call, until } from '../fake/aglet.ts'
import { isFullRun } from '../fake/cases.ts'
import { skipMissing } from './client.ts'
import { host, openOnlyWay, openPhoneTag } from './phone.ts'

const built = join(import.meta.dirname, '../../node_modules/.cache/aglet/clients-kotlin')
const isBuilt = existsSync(join(built, 'lib'))
const isOnPath = (name: string) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))

/** Skips the tests in a short run, and on a machine without Java. */
function skip(t: TestContext): void {
  if (!isFullRun) t.skip("SKIPPED: npm run test:clients -- --all builds an app with Segment's SDK for Kotlin")
  else if (isOnPath('java') && isOnPath('mvn')) skipMissing(t, "Segment's SDK for Kotlin")
  else t.skip("NOT RUN: Segment's SDK for Kotlin needs Java and Maven")
}

/** A tag, and a trust store for an app on the JVM. */
async function openWorld() {
  const tag = await openPhoneTag('clients-kotlin')
  const words = `-importcert -noprompt -alias shop -storepass changeit -file ${join(tag.folder, 'certificate.pem')}`
  execFileSync('keytool', [...words.split(' '), '-keystore', join(tag.folder, 'trusted.p12')], { stdio: 'ignore' })
  // a process that can only look up names through the proxy
  writeFileSync(join(tag.folder, 'hosts'), '')
  return tag
}
const world = isBuilt && isFullRun ? await openWorld() : undefined

/** Starts the app with the settings host as its only setting. Returns every host that it requests. */
async function runApp(t: TestContext, { customer, folder, port }: NonNullable<typeof world>, events: number) {
  const way = await openOnlyWay(host, port)
  const properties = {
    'https.proxyHost': '127.0.0.1',
    'https.proxyPort': `${way.port}`,
    'javax.net.ssl.trustStore': join(folder, 'trusted.p12'),
    'javax.net.ssl.trustStorePassword': 'changeit',
    'jdk.net.hosts.file': join(folder, 'hosts'),
  }
  const flags = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`)
  const path = `${join(built, 'classes')}:${join(built, 'lib')}/*`
  const app = spawn('java', [...flags, '-Xshare:auto', '-cp', path, 'App', customer.tagId, `${host}/v1`, `${events}`], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  const ended = once(app, 'exit')
  const end = async () => {
    app.stdin.end()
    await ended
    rmSync(join('/tmp/analytics-kotlin', customer.tagId), { recursive: true, force: true })
  }
  t.after(end)
  /** Waits, but fails early if the app ends. */
  const waitFor = (holds: () => boolean) =>
    until(() => {
      assert.equal(app.exitCode, null, 'the app ended')
      return holds()
    }, 180_000)
  const tell = (order: 'o' | 'g') => app.stdin.write(order)
  return { asked: way.asked, end, tell, waitFor }
}

const opened = 'Application Opened'

/** The names of accepted events by the SDK's id: an identify has none. */
function sentNames(exchanges: NonNullable<typeof world>['exchanges']): Map<string, string> {
  type Message = { messageId: string; event?: string }
  const taken = exchanges.filter(({ path, status }) => path === '/v1/b' && status === 200)
  const messages = taken.flatMap(({ sent }) => {
    const text = sent[0] === 0x1f ? gunzipSync(sent) : sent
    return (JSON.parse(`${text}`) as { batch: Message[] }).batch
  })
  return new Map(messages.map(({ messageId, event = '' }) => [messageId, event]))
}

test("all events of an app with Segment's SDK for Kotlin arrive here, and it asks for no other host", async (t) => {
  if (!world) return skip(t)
  const { customer, exchanges, taken } = world
  const { asked, end, tell, waitFor } = await runApp(t, world, 1_000)
  const names = () => [...sentNames(exchanges).values()]
  // An event that is tracked while the settings arrive may stay in the SDK's queue forever: one thread sees that the queue
  // is not started, another thread starts and empties it, and only then the first one adds its event.
  let askedAt = 0
  await waitFor(() => {
    if (Date.now() > askedAt + 2_000) {
      askedAt = Date.now()
      tell('o')
    }
    return names().includes(opened)
  })
  tell('g')
  await waitFor(() => names().filter((name) => name !== opened).length === 1_000).catch((error) => {
    const answers = exchanges.map(({ path, status, sent }) => `${path} ${status}, ${sent.length} bytes`)
    const told = `${names().length} arrived; asked for ${asked.join(' ')}; answered ${answers.join('; ')}`
    throw new Error(told, { cause: error })
  })
  await end()
  assert.deepEqual([...new Set(taken().map(({ status }) => status))], ['accepted'])
  assert.deepEqual([...new Set(asked)], [`${host}:443`])
  const paths = new Set(exchanges.map(({ method, path }) => `${method} ${path}`))
  assert.deepEqual([...paths].sort(), [`GET /v1/projects/${customer.tagId}/settings`, 'POST /v1/b'])
  const { body } = await call<{ events: { eventName: string }[] }>(
    customer,
    'GET',
    `/tag/${customer.tagId}/event?eventName=Purchase`,
  )
  assert.deepEqual([...new Set(body.events.map(({ eventName }) => eventName))], ['Purchase'])
})

test("without settings at the tag's address the SDK sends to its own vendor", async (t) => {
  if (!world) return skip(t)
  const { customer } = world
  await call(customer, 'PUT', `/tag/${customer.tagId}`, { sources: [] })
  const { asked, end, tell, waitFor } = await runApp(t, world, 60)
  tell('g')
  await waitFor(() => asked.includes('api.segment.io:443'))
  await end()
})
