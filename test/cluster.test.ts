import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { readEventStream } from '#contract/eventStream.ts'
import { openDatabase } from '#postgres/database.ts'
import { type Migration, migrate, readMigrations } from '#postgres/migrate.ts'
import { type Aglet, type Customer, call, makeCustomer, settledJourney, stopAglet, until } from './fake/aglet.ts'
import { skipWithoutPostgres } from './fake/postgresServer.ts'
import { openRoleProcesses, type RoleProcesses, sendEvent } from './fake/roleProcesses.ts'

const skip = await skipWithoutPostgres()

/** Watches a tag at a control process until it is cut. `live`: the events and ended deliveries received, in order. */
async function watch({ origin }: Aglet, { tagId, token, teamId }: Customer, lastEventId?: string) {
  const cutting = new AbortController()
  const response = await fetch(`${origin}/v1/tag/${tagId}/live?kinds=event,delivery`, {
    headers: {
      authorization: `Bearer ${token}`,
      'team-id': teamId,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: cutting.signal,
  })
  assert.equal(response.status, 200)
  const live: { id: string; name: string }[] = []
  const reading = (async () => {
    for await (const { id, event, data } of readEventStream(response.body!)) {
      const { eventId, status } = data as { eventId?: string; status?: string }
      if (event === 'event' || status === 'delivered') live.push({ id: id!, name: `${event} ${eventId}` })
      assert.notEqual(event, 'closed')
    }
  })().catch((error: Error) => assert.equal(error.name, 'AbortError'))
  const cut = async () => {
    cutting.abort()
    await reading
  }
  return { live, names: () => live.map(({ name }) => name), cut }
}

describe('processes with roles apart on one PostgreSQL database', { skip }, () => {
  let processes: RoleProcesses
  let control: Aglet
  let edges: Aglet[]
  let workers: Aglet[]

  before(async () => {
    processes = await openRoleProcesses()
    // Concurrently: one of them creates the keys, and the others read them.
    const started = await Promise.all(
      ['control', 'edge', 'edge', 'worker', 'worker'].map((role) => processes.start(role)),
    )
    control = started[0]!
    edges = started.slice(1, 3)
    workers = started.slice(3)
  })
  after(() => processes.close())

  const start = (role: string) => processes.start(role)
  const customerWithSink = (name: string) => processes.customerWithSink(control, name)

  test('a tag is live on every edge when the call that made it is answered, and its events are delivered once', async () => {
    const customer = await customerWithSink('live')
    for (const [n, edge] of edges.entries()) assert.equal((await sendEvent(edge, customer, `live-${n}`)).status, 200)
    for (const n of edges.keys()) assert.equal((await settledJourney(customer, `live-${n}`)).deliveries.length, 1)
    assert.equal((await sendEvent(edges[1]!, customer, 'live-0')).status, 200)
    await settledJourney(customer, 'live-1')
    assert.deepEqual(processes.arrived.filter((eventId) => eventId.startsWith('live')).sort(), ['live-0', 'live-1'])
  })

  test('a deleted tag is refused by every edge', async () => {
    const customer = await makeCustomer(control, 'deleted')
    assert.equal((await sendEvent(edges[0]!, customer, 'one')).status, 200)
    assert.equal((await call(customer, 'DELETE', `/tag/${customer.tagId}`)).status, 200)
    for (const edge of edges) assert.equal((await sendEvent(edge, customer, 'two')).status, 404)
  })

  test('an edge answers ?sync=true with the deliveries of another process', async () => {
    const customer = await customerWithSink('sync')
    const { status, body } = await sendEvent(edges[0]!, customer, 'sync-1', { query: '?sync=true' })
    assert.equal(status, 200)
    assert.match(JSON.stringify(body), /"delivered"/)
  })

  test('who watches at one control process gets each event and its delivery once; one who goes on at another misses none', async () => {
    const other = await start('control')
    const customer = await customerWithSink('watched')
    const [whole, first] = await Promise.all([watch(control, customer), watch(control, customer)])
    const eventIds = Array.from({ length: 40 }, (_, n) => `watched-${n}`)
    const expected = eventIds.flatMap((eventId) => [`event ${eventId}`, `delivery ${eventId}`]).sort()
    const sendSome = (from: number, to: number) =>
      Promise.all(eventIds.slice(from, to).map((eventId, n) => sendEvent(edges[n % 2]!, customer, eventId)))
    await sendSome(0, 20)
    await until(() => first.live.length >= 20)
    await first.cut()
    const last = first.live.at(-1)!
    await sendSome(20, 40)
    const resumed = await watch(other, customer, last.id)
    await until(() => whole.live.length >= expected.length)
    assert.deepEqual(whole.names().sort(), expected)
    const all = () => new Set([...first.names(), ...resumed.names()])
    await until(() => all().size === expected.length)
    await Promise.all([whole.cut(), resumed.cut()])
    await stopAglet(other)
  })

  test('a spread tag is delivered by several workers, each event once, also when its spread changes and a worker dies', async () => {
    const customer = await processes.customerWithSink(control, 'spread')
    const database = openDatabase({ url: processes.server.url, schema: 'aglet_production', connections: 1 })
    const ofTag = 'SELECT DISTINCT slot FROM event WHERE tag = $1'
    const read = async (text: string) => (await database.sql(text, [customer.tagId])).length
    const eventIds = Array.from({ length: 60 }, (_, n) => `spread-${n}`)
    const sendAll = async (edge: Aglet, ids: readonly string[]) => {
      for (const { status } of await Promise.all(ids.map((id) => sendEvent(edge, customer, id))))
        assert.equal(status, 200)
    }
    const arrivedOnce = (count: number) => {
      const own = processes.arrived.filter((eventId) => eventId.startsWith('spread-'))
      assert.equal(own.length, new Set(own).size)
      return own.length === count
    }
    const spread = (count: number) => processes.start('edge', { AGLET_TAG_SPREAD: `${customer.tagId}=${count}` })
    const four = await spread(4)
    await sendAll(four, eventIds.slice(0, 30))
    await until(() => arrivedOnce(30), 60_000)
    assert.equal(await read(ofTag), 4)
    assert.equal(await read(`SELECT DISTINCT owner FROM slot WHERE no IN (${ofTag})`), 2)
    assert.equal((await call(customer, 'POST', `/script/${customer.scriptId}/pause`)).status, 200)
    await sendAll(four, eventIds.slice(30, 45))
    await stopAglet(four)
    const two = await spread(2)
    await sendAll(two, eventIds.slice(45))
    await until(async () => (await read('SELECT 1 FROM event WHERE tag = $1')) === 60, 60_000)
    await stopAglet(two)
    await stopAglet(workers[0]!, 'SIGKILL')
    workers[0] = await start('worker')
    assert.ok(arrivedOnce(30))
    assert.equal((await call(customer, 'POST', `/script/${customer.scriptId}/resume`)).status, 200)
    await until(() => arrivedOnce(60), 60_000)
    await database.close()
  })

  test('of the events that came while a worker was killed, none is lost', async () => {
    const customers = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => customerWithSink(`kill ${name}`)))
    const expected = new Set<string>()
    const sendAll = async (round: number) => {
      for (const [n, customer] of customers.entries()) {
        const eventId = `kill-${n}-${round}`
        assert.equal((await sendEvent(edges[round % 2]!, customer, eventId)).status, 200)
        expected.add(eventId)
      }
    }
    for (let round = 0; round < 5; round++) await sendAll(round)
    await stopAglet(workers[0]!, 'SIGKILL')
    for (let round = 5; round < 10; round++) await sendAll(round)
    await until(() => [...expected].every((eventId) => processes.arrived.includes(eventId)), 60_000)
  })

  test('a worker that is stopped leaves its slots to the next one, which repeats nothing', async () => {
    const customers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => customerWithSink(`stop ${name}`)))
    const next = await start('worker')
    const sendings = customers.flatMap((customer, n) =>
      Array.from({ length: 10 }, (_, round) => sendEvent(edges[round % 2]!, customer, `stop-${n}-${round}`)),
    )
    await Promise.all([...sendings, stopAglet(workers[1]!)])
    const ofThis = () => processes.arrived.filter((eventId) => eventId.startsWith('stop'))
    await until(() => new Set(ofThis()).size === 40, 60_000)
    assert.equal(ofThis().length, 40)
    await stopAglet(next)
  })

  test('an edge reads no geo file: the place of an event is decided by the worker', async () => {
    const environment = { AGLET_GEO_FILE: '/nowhere/city.mmdb' }
    await stopAglet(await processes.start('edge', environment))
    await assert.rejects(processes.start('worker', environment), /nowhere\/city\.mmdb cannot be read/)
  })

  test('control processes count attempts to sign in together', async () => {
    const other = await start('control')
    const statuses: number[] = []
    for (let n = 0; n < 10 && !statuses.includes(429); n++) {
      const { origin } = n % 2 ? other : control
      const body = JSON.stringify({ email: 'nobody@example.com', password: 'a wrong password' })
      const headers = { 'content-type': 'application/json' }
      statuses.push((await fetch(`${origin}/v1/session`, { method: 'POST', headers, body })).status)
    }
    // after five failures an attempt must wait 1 s, after the next one 4 s: a slow machine may take as long anyway
    assert.deepEqual(statuses.slice(0, 5), [403, 403, 403, 403, 403])
    assert.equal(statuses.at(-1), 429, 'each process alone would have counted five')
    await stopAglet(other)
  })

  test('processes go on, and start, beside a newer version that only adds; one that removes refuses them', async () => {
    const customer = await customerWithSink('versions')
    const known = await readMigrations()
    const added: Migration = {
      name: 'more.sql',
      text: 'ALTER TABLE tag ADD COLUMN more text;\nCREATE TABLE more (id int);\n',
    }
    const removed: Migration = { name: 'less.sql', text: `-- least: ${known.length + 1}\nDROP TABLE more;\n` }
    const migrateTo = async (migrations: readonly Migration[]) => {
      for (const environment of ['production', 'sandbox']) {
        const database = openDatabase({ url: processes.server.url, schema: `aglet_${environment}`, connections: 1 })
        await migrate(database, migrations).finally(database.close)
      }
    }
    await migrateTo([...known, added])
    const [later] = await Promise.all([start('edge'), start('worker')])
    for (const [n, edge] of [...edges, later].entries())
      assert.equal((await sendEvent(edge, customer, `versions-${n}`)).status, 200)
    const renamed = await call<Record<string, never>>(customer, 'PUT', `/tag/${customer.tagId}`, { name: 'a new name' })
    assert.equal(renamed.status, 200, JSON.stringify(renamed.body))
    for (let n = 0; n < 3; n++) await settledJourney(customer, `versions-${n}`)
    await migrateTo([...known, added, removed])
    await assert.rejects(start('edge'), /needs a newer version of Aglet/)
    assert.equal((await sendEvent(edges[0]!, customer, 'versions-last')).status, 200)
    await settledJourney(customer, 'versions-last')
  })

  test('while the database is away, reads, changes and events are 503 DATABASE_AWAY', async () => {
    const customer = await makeCustomer(control, 'away')
    await processes.server.stop()
    const answers = [
      call<Record<string, never>>(customer, 'GET', `/tag/${customer.tagId}`),
      call<Record<string, never>>(customer, 'PUT', `/tag/${customer.tagId}`, { name: 'renamed' }),
      sendEvent(edges[0]!, customer, 'away'),
    ]
    for (const { status, body } of await Promise.all(answers))
      assert.deepEqual([status, body.error], [503, 'DATABASE_AWAY'], JSON.stringify(body))
  })
})
