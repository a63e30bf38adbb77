import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { call, until } from '../fake/aglet.ts'
import { sdksFolder, skipMissing } from './client.ts'
import { host, openOnlyWay, openPhoneTag } from './phone.ts'

const folder = join(sdksFolder, 'reactNative')
const isInstalled = existsSync(join(folder, 'node_modules/@segment/analytics-react-native'))

test("all events of an app with Segment's SDK for React Native arrive here with the facts of its device, and it asks for no other host", async (t) => {
  if (!isInstalled) return skipMissing(t, '@segment/analytics-react-native')
  const { customer, folder: made, exchanges, port, taken } = await openPhoneTag('clients-react-native')
  const way = await openOnlyWay(host, port)
  const app = spawn(process.execPath, ['app.cjs', customer.tagId, host], {
    cwd: folder,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://127.0.0.1:${way.port}`,
      NODE_EXTRA_CA_CERTS: join(made, 'certificate.pem'),
    },
  })
  let errors = ''
  app.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text
  })
  const ended = once(app, 'exit')
  const end = async () => {
    app.stdin.end()
    await ended
  }
  t.after(end)
  await until(() => {
    assert.equal(app.exitCode, null, errors)
    return new Set(taken().map(({ eventId }) => eventId)).size === 100
  }, 180_000).catch((problem) => assert.fail(`${problem} ${errors}`))
  await end()
  assert.deepEqual([...new Set(way.asked)], [`${host}:443`])
  assert.ok(exchanges.some(({ path }) => path === `/v1/projects/${customer.tagId}/settings`))
  const sent = exchanges.flatMap(({ path, sent }) => (path === '/v1/b' ? JSON.parse(`${sent}`).batch : []))
  const order = sent.find(({ event }: { event?: string }) => event === 'Order Completed')
  type Received = { app?: object; data?: { gaid?: string } }
  let event: Received = {}
  await until(async () => {
    const path = `/tag/${customer.tagId}/event/${order.messageId}`
    const { status, body } = await call<{ eventName: string; received: Received }>(customer, 'GET', path)
    if (status !== 200) return false
    assert.equal(body.eventName, 'Purchase')
    event = body.received
    return true
  })
  assert.deepEqual(event.app, {
    ...{ platform: 'android', id: 'example.shop', name: 'Shop', version: '2.1', build: '210', osVersion: '14' },
    ...{ model: 'Pixel 8', manufacturer: 'Google', locale: 'en-US', timezone: 'Europe/Berlin' },
    ...{ screenWidth: '1080', screenHeight: '2400', screenDensity: '2.625', adTracking: true },
  })
  assert.equal(event.data?.gaid, 'cdda802e-fb9c-47ad-9866-0794d394c912')
})
