import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Operation, operations } from '#contract/operations.ts'
import { everyScope, type Scope, scopes } from '#contract/scopes.ts'
import { type Aglet, aglet, call, operate, until } from './aglet.ts'
import {
  act,
  findCanaries,
  type History,
  makePerson,
  openShop,
  type Person,
  type Shop,
  stepKinds,
} from './erasureShop.ts'
import type { Vendor } from './vendor.ts'

type ListedDelivery = { attempts: number; scriptId: string }

/** Waits until every event is planned and every delivery of a channel that is not stopped has been tried. */
const settle = (shop: Shop): Promise<void> =>
  until(async () => {
    const { body: events } = await call<{ events: { eventId: string }[] }>(
      shop,
      'GET',
      `/tag/${shop.tagId}/event?limit=1000`,
    )
    const planned = new Set(events.events.map(({ eventId }) => eventId))
    if (!shop.eventIds.every((each) => planned.has(each))) return false
    const path = `/tag/${shop.tagId}/delivery?status=pending&limit=200`
    const { body } = await call<{ deliveries: ListedDelivery[] }>(shop, 'GET', path)
    return body.deliveries.every(({ attempts, scriptId }) => attempts > 0 || shop.stoppedIds.includes(scriptId))
  }, 60_000)

/** Erases a person as docs/identity.md describes: the user, and each user found by a search for the person's known data. */
export async function erase(shop: Shop, { userId, email, customerId }: Person): Promise<void> {
  const found = new Set([userId])
  for (const body of [{ email }, { key: 'customerId', value: customerId }]) {
    const { body: answer } = await call<{ users: { userId: string }[] }>(
      shop,
      'POST',
      `/tag/${shop.tagId}/find-user`,
      body,
    )
    for (const each of answer.users) found.add(each.userId)
  }
  for (const each of found) {
    const { status } = await call(shop, 'DELETE', `/tag/${shop.tagId}/user/${each}`)
    assert.ok(status === 200 || status === 404, `${status}`)
  }
}

/** Removes the ids of erased users, which the audit keeps as proof of the erasure (docs/identity.md). */
const withoutAuditedIds = (text: string, persons: readonly Person[]) =>
  persons.reduce((left, { userId }) => left.replaceAll(userId, ''), text)

/** The answers of all reading operations of the contract, by address. */
export async function readEverything(
  shop: Shop,
  persons: readonly Person[],
  scopes: readonly Scope[] = everyScope,
): Promise<Map<string, string>> {
  const users = persons.map(({ userId }) => userId)
  const values: Record<string, readonly string[]> = {
    tagId: [shop.tagId],
    scriptId: shop.scriptIds,
    eventId: shop.eventIds,
    userId: users,
    number: ['1', '6'],
    replayId: [],
    policyId: [],
  }
  const answers = new Map<string, string>()
  const read = async (path: string, method = 'GET', body?: object) => {
    const answer = await fetch(shop.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${shop.token}`,
        'team-id': shop.teamId,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (answer.ok) answers.set(`${method} ${path}`, text)
  }
  for (const operation of Object.values(operations) as Operation[]) {
    const { method, path, access, isStream } = operation
    if (method !== 'GET' || isStream || typeof access === 'string') continue
    if (!access.every((scope) => scopes.includes(scope))) continue
    for (const filled of filledPaths(path, values)) {
      if (!operation.isExport) await read(filled)
      else for (const query of exportQueries(filled)) await read(query)
    }
  }
  if (scopes.includes('user:read'))
    for (const { email } of persons) await read(`/tag/${shop.tagId}/find-user`, 'POST', { email })
  return answers
}

const exportQueries = (path: string): string[] =>
  path.startsWith('/audit')
    ? [`${path}?format=csv`, `${path}?format=ndjson`]
    : ['event', 'delivery', 'order'].flatMap((of) =>
        ['csv', 'ndjson'].map((format) => `${path}?of=${of}&format=${format}`),
      )

/** The paths of an operation with each of the values of its parameters. */
function filledPaths(path: string, values: Record<string, readonly string[]>): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1]
  if (name === undefined) return [path]
  return (values[name] ?? []).flatMap((value) => filledPaths(path.replace(`{${name}}`, value), values))
}

/** The canaries in the files of a folder, with the file names. */
function canariesInFiles(folder: string, persons: readonly Person[]): string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  return files.flatMap(({ parentPath, name }) => {
    const text = withoutAuditedIds(readFileSync(join(parentPath, name)).toString('latin1'), persons)
    return findCanaries(text, persons).map((canary) => `${name}: ${around(text, canary)}`)
  })
}

/** Throws if an answer or the log contains data of the erased person. */
async function assertUnanswered(server: Aglet, shop: Shop, erased: Person, others: readonly Person[]): Promise<void> {
  const answers = await readEverything(shop, [erased, ...others])
  const isAudit = (address: string) => address.startsWith('GET /audit')
  const found = [...answers].flatMap(([address, text]) => {
    // an answer may repeat the id of its own address
    const [path = ''] = address.split('?')
    const kept = isAudit(address) || path.endsWith(erased.userId) ? withoutAuditedIds(text, [erased]) : text
    return findCanaries(kept, [erased]).map((canary) => `${address}: ${around(kept, canary)}`)
  })
  assert.deepEqual(found, [], 'in answers')
  const sent = new Set(shop.senders)
  for (const other of others.filter(({ seed }) => sent.has(seed)))
    assert.ok(findCanaries([...answers.values()].join('\n'), [other]).length > 0, 'the others are still there')
  assert.deepEqual(findCanaries(server.errors(), [erased]), [], 'in the log')
}

/** Throws if a data file or a new backup contains data of the erased person. */
async function assertNotStored(server: Aglet, erased: Person): Promise<void> {
  assert.deepEqual(canariesInFiles(server.data, [erased]), [], 'in the files')
  // a database server has its own backups
  if (!existsSync(join(server.data, 'production', 'store.db'))) return
  const folder = mkdtempSync(join(tmpdir(), 'aglet-erased-'))
  try {
    await aglet(server.data, 'backup', join(folder, 'backup.tar'))
    assert.deepEqual(canariesInFiles(folder, [erased]), [], 'in a new backup')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const around = (text: string, canary: string) => {
  const at = text.toLowerCase().indexOf(canary)
  return text.slice(Math.max(at - 150, 0), at + 60).replace(/[^ -~]/g, '·')
}

type CheckShop = (server: Aglet, shop: Shop, persons: readonly Person[]) => Promise<void>

/** Runs a history, erases the first person, and checks that none of their data remain. `checkShop` checks the shop before that. */
export async function checkHistory(
  server: Aglet,
  vendor: Vendor,
  { steps, waits }: History,
  checkShop?: CheckShop,
): Promise<void> {
  const shop = await openShop(server, vendor)
  const [first, ...others] = [makePerson(), makePerson(), makePerson()]
  for (const step of steps) await act(shop, step, [first!, ...others])
  if (waits) await settle(shop)
  await checkShop?.(server, shop, [first!, ...others])
  await erase(shop, first!)
  await settle(shop)
  await assertUnanswered(server, shop, first!, others)
  await assertNotStored(server, first!)
}

/** A history with each kind of step, for the erased person and for another. */
export const wholeHistory: History = {
  steps: stepKinds.flatMap((kind) => [0, 1].map((person) => ({ kind, person }))),
  waits: true,
}

/** Throws if a caller without user:read gets any data of a shop's people except user ids. */
export async function assertMasked(server: Aglet, shop: Shop, persons: readonly Person[]): Promise<void> {
  const held = scopes.filter((scope) => scope !== 'user:read' && scope !== 'audit:read')
  const input = { team: shop.teamId, scopes: held.join(',') }
  const { token } = await operate<{ token: string }>(server, 'token create', shop.environment, input)
  const answers = await readEverything({ ...shop, token }, persons, held)
  assert.ok(answers.size > 30, `${answers.size} answers`)
  const found = [...answers].flatMap(([address, text]) => {
    const shown = withoutAuditedIds(text, persons)
    return findCanaries(shown, persons).map((canary) => `${address}: ${around(shown, canary)}`)
  })
  assert.deepEqual(found, [])
}
