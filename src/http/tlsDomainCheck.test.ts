import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLog } from '#kit/log.ts'
import { createFastify } from './fastifyApp.ts'
import { tlsDomainCheckRoute } from './tlsDomainCheck.ts'

test('a known host name is 200 in any case, and an unknown or missing one is 404 with an Error object', async (t) => {
  const app = createFastify({ log: silentLog })
  t.after(() => app.close())
  app.register(async (routes) => tlsDomainCheckRoute(routes, (host) => host === 'd.shop.example'))
  const ask = (query: string) => app.inject(`/ask${query}`)
  for (const query of ['?domain=d.shop.example', '?domain=D.Shop.Example']) {
    const answer = await ask(query)
    assert.equal(answer.statusCode, 200, query)
  }
  for (const query of [
    '',
    '?domain=',
    '?domain=shop.example',
    '?domain=d.shop.example&domain=x',
    '?domain=x.d.shop.example',
  ]) {
    const answer = await ask(query)
    assert.deepEqual([answer.statusCode, answer.json().error], [404, 'NOT_FOUND'], query)
  }
})

test('hostile names are 404 without a look-up: long ones, other letters that look like a known host, and signs', async (t) => {
  const app = createFastify({ log: silentLog })
  t.after(() => app.close())
  const lookedUp: string[] = []
  const isKnown = (host: string) => lookedUp.push(host) > 0 && ['d.kiosk.example', '[::1]'].includes(host)
  app.register(async (routes) => tlsDomainCheckRoute(routes, isKnown))
  const ask = async (domain: string) => (await app.inject(`/ask?domain=${encodeURIComponent(domain)}`)).statusCode
  const hostile = [
    'd.\u212aiosk.example', // the Kelvin sign, whose lower case is k
    'd.k\u0131osk.example',
    'd\u3002kiosk.example',
    'd.kiosk.example\u0000',
    'd.kiosk.example\r\nHost: x',
    ' d.kiosk.example',
    'd.kiosk.example/',
    'd.kiosk.example;x',
    '*.kiosk.example',
    `${'a.'.repeat(6_000)}example`,
    `d.kiosk.example:${'1'.repeat(6_000)}x`,
    '.'.repeat(9_000),
    ':1'.repeat(4_000),
  ]
  for (const domain of hostile) assert.equal(await ask(domain), 404, domain.slice(0, 40))
  assert.equal((await app.inject('/ask?domain=%ed%a0%80')).statusCode, 404)
  assert.deepEqual(lookedUp, [])
  for (const domain of ['__proto__', 'constructor', '127.0.0.1', '0x7f.1', '[::ffff:127.0.0.1]', '[fe80::1]'])
    assert.equal(await ask(domain), 404, domain)
  for (const domain of ['[::1]', 'D.Kiosk.example.', 'd.kiosk.example:443'])
    assert.equal(await ask(domain), 200, domain)
})

test('thousands of names at once are answered each in less than a millisecond', async (t) => {
  const app = createFastify({ log: silentLog })
  t.after(() => app.close())
  app.register(async (routes) => tlsDomainCheckRoute(routes, () => false))
  await app.inject('/ask?domain=x')
  const names = Array.from({ length: 3_000 }, (_, n) => `${'a.'.repeat(n % 100)}${n}.example`)
  const before = process.cpuUsage()
  const answers = await Promise.all(names.map((name) => app.inject(`/ask?domain=${name}`)))
  const { user, system } = process.cpuUsage(before)
  assert.deepEqual([...new Set(answers.map(({ statusCode }) => statusCode))], [404])
  assert.ok((user + system) / 1_000 < names.length, `${(user + system) / 1_000} ms of CPU`)
})
