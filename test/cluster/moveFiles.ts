import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type Customer, freePort, makeCustomer, program, until } from '../fake/aglet.ts'
import { type Destination, openDestination } from '../fault/destination.ts'
import { kinds } from '../fault/events.ts'
import { figuresOf, inFlight, report } from '../fault/faultRig.ts'
import { type Sender, startSender } from '../fault/sender.ts'
import { beginAglet, kill, ready } from '../fault/server.ts'
import { makeChannels, type RigChannel, reachVerdict } from '../fault/verdict.ts'
import { type ClusterRig, rootKey } from './clusterRig.ts'

const run = promisify(execFile)
const perSecond = 200
const manyMs = 60_000
const quietMs = 70_000
const shared = { AGLET_ROOT_KEY: rootKey, AGLET_ALLOW_PRIVATE_DESTINATIONS: '1', AGLET_RATE_LIMIT: '1000000' }

/** Runs an Aglet command that needs no running server. */
async function command(words: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  await run('sh', [program, ...words], { env: { ...process.env, ...shared, ...environment } })
}

type Before = { customer: Customer; channels: readonly RigChannel[]; sender: Sender; pathname: string }

/** Sends events to a server with its own files, and kills it while deliveries are in flight. */
async function fillFiles(
  data: string,
  destinations: readonly Destination[],
  started: (sender: Sender) => void,
): Promise<Before> {
  const server = beginAglet({ data, port: await freePort(), environment: shared })
  try {
    await ready(server)
    const customer = await makeCustomer(server, 'moved')
    const channels = await makeChannels(customer, [kinds.sink, kinds.sink], destinations)
    const sender = startSender(customer.tagUrl, { name: 'moved', perSecond })
    started(sender)
    await until(() => sender.accepted.size > 300, manyMs)
    sender.perSecond = 0
    await kill(server)
    await sender.stop()
    return { customer, channels, sender, pathname: new URL(customer.tagUrl).pathname }
  } finally {
    await kill(server)
  }
}

/** Starts all processes with other settings. */
export async function startOn(
  { aglet }: ClusterRig,
  environmentOf: (name: string) => Record<string, string>,
): Promise<void> {
  await Promise.all(aglet.all.map((each) => each.isAlive() && each.end('SIGTERM')))
  for (const each of aglet.of('control')) {
    each.start(environmentOf(each.name))
    await each.ready()
  }
  for (const each of aglet.all) if (each.role !== 'control') each.start(environmentOf(each.name))
  await Promise.all(aglet.all.map((each) => each.ready()))
}

/** Sends new events, and repeats all events of an earlier sender. `answers`: the expected result of each repeated event. */
export async function repeatAll(
  { sender, pathname }: Before,
  edgeOrigins: readonly string[],
  count: number,
  started: (sender: Sender) => void,
): Promise<{ again: Sender; answers: ReadonlyMap<string, string> }> {
  const tagUrls = edgeOrigins.map((origin) => origin + pathname)
  const again = startSender(tagUrls, { name: `after-${sender.sent.keys().next().value}`, perSecond })
  started(again)
  await until(() => again.accepted.size > count, manyMs)
  await again.stop()
  const answers = new Map<string, string>()
  for (const id of sender.accepted.keys()) {
    const { userId, event } = sender.sent.get(id)!
    const answer = await fetch(`${tagUrls[answers.size % tagUrls.length]}/tag`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', serviceuserid: userId },
      body: JSON.stringify(event),
    })
    answers.set(id, ((await answer.json()) as { result?: { status: string } }).result?.status ?? `${answer.status}`)
  }
  return { again, answers }
}

/** Merges the events of two senders into one. */
export const unite = (senders: readonly Sender[]): Sender => ({
  ...senders[0]!,
  sent: new Map(senders.flatMap(({ sent }) => [...sent])),
  accepted: new Map(senders.flatMap(({ accepted }) => [...accepted])),
})

/** Moves the files of one server into the cluster by backup and restore. */
export async function moveFiles(rig: ClusterRig, t: TestContext): Promise<void> {
  await rig.repair()
  const { cluster, aglet, pathsOf } = rig
  const senders: Sender[] = []
  const sentOf = (id: string) => senders.map(({ sent }) => sent.get(id)).find((each) => each !== undefined)
  const destinations = await Promise.all([1, 2].map(() => openDestination(kinds.sink, sentOf)))
  t.after(() => Promise.all(destinations.map((each) => each.close())))
  const data = cluster.folder.folder('files')
  const moved = await fillFiles(data, destinations, (sender) => senders.push(sender))
  const backup = join(cluster.folder.path, 'files.tar')
  await command(['backup', backup, '--data', data])
  await cluster.sql('CREATE DATABASE moved OWNER aglet')
  const urls = new Map(aglet.all.map((each) => [each.name, pathsOf(each).url.replace(/aglet$/, 'moved')]))
  const environmentOf = (name: string) => ({ AGLET_DATABASE_URL: urls.get(name)! })
  await command(['restore', backup, '--data', cluster.folder.folder('restoring')], environmentOf('control'))
  await startOn(rig, environmentOf)
  const { again, answers } = await repeatAll(moved, aglet.edgeOrigins, 200, (sender) => senders.push(sender))
  assert.deepEqual([...new Set(answers.values())], ['duplicate'])
  const customer = { ...moved.customer, baseUrl: `${aglet.of('control')[0]!.origin}/v1` }
  const sender = unite([moved.sender, again])
  const verdict = await reachVerdict({ customer, sender, channels: moved.channels }, quietMs)
  report(t, 'cluster: files are moved into it', { times: 1, ...figuresOf(verdict) })
  assert.deepEqual([verdict.lost, verdict.phantom], [[], []])
  assert.deepEqual([verdict.pending, verdict.failed], [0, 0])
  assert.ok(verdict.repeated <= inFlight, `${verdict.repeated} repeated: more than could be in flight`)
}
