import { randomBytes } from 'node:crypto'
import type { SealingKeys } from '#account/sealingKeys.ts'
import { createTeam } from '#account/team.ts'
import { createToken, revokeToken } from '#account/token.ts'
import type { Client } from '#contract/client.ts'
import { sealEntry } from '#contract/seal.ts'
import { newId } from '#kit/id.ts'
import { createTag } from '#tag/tag.ts'
import type { Home } from './home.ts'

/** What a first start makes in each environment. `token` is there on the start that made it, and never again. */
export type Demo = { teamId: string; tagId: string; token?: string }

export type FirstRunWorld = Home & {
  sealingKeys: SealingKeys
  /** `http://127.0.0.1:4000` */
  origin: string
  /** The control API of this environment, called without a network. */
  client(token: string, teamId: string): Client
}

const name = 'demo'
const by = 'operator'
const variable = 'EVENT_SINK_URL'

/** Rows of the store's settings: how far the first start came, and what it chose. */
const marks = {
  done: 'firstRun.done',
  token: 'firstRun.tokenId',
  inbox: 'demo.inbox',
  address: 'demo.address',
} as const

/** The value of a mark; made and kept where it is not there yet. */
async function keep(mark: string, make: () => string, { store }: Home): Promise<string> {
  const kept = await store.setting(mark)
  if (kept !== undefined) return kept
  const made = make()
  await store.write([{ put: 'setting', name: mark, value: made }])
  return made
}

/** The name of the environment's demo inbox: 128 random bits, chosen once. */
export const demoInboxName = (on: Home) => keep(marks.inbox, () => randomBytes(16).toString('hex'), on)

const addressOf = async (on: FirstRunWorld) => `${on.origin}/demo/inbox/${await demoInboxName(on)}`

async function makeOperator({ store, clock }: Home): Promise<void> {
  if (await store.person('operator')) return
  const createdAt = clock.now()
  const row = { personId: newId('per', createdAt), name: 'Operator', role: 'operator', createdAt } as const
  await store.write([{ add: 'person', row }])
}

async function makeTeam(on: Home): Promise<string> {
  const made = (await on.store.teams()).find((team) => team.name === name)
  return made?.teamId ?? (await createTeam(on, name, by)).teamId
}

async function makeTag(teamId: string, on: Home): Promise<string> {
  const { rows } = await on.store.tags(teamId, { limit: 200 })
  const made = rows.find((tag) => tag.name === name)
  return made?.tagId ?? (await createTag(on, teamId, { by }, { name, domain: 'localhost' })).tagId
}

/** A token that an interrupted first start made was perhaps never shown: it ends, and a new one takes its place. */
async function makeToken(teamId: string, on: Home): Promise<string> {
  const before = await on.store.setting(marks.token)
  if (before) await revokeToken(on, before, by)
  const { token, tokenId } = await createToken(on, { teamId, application: name }, by)
  await on.store.write([{ put: 'setting', name: marks.token, value: tokenId }])
  return token
}

const sealedAddress = (teamId: string, plaintext: string, on: FirstRunWorld) =>
  sealEntry({
    environment: on.environment,
    teamId,
    providerId: 'eventSink',
    variable,
    type: 'TEXT',
    plaintext,
    key: on.sealingKeys.active(),
  })

async function findScript(tagId: string, on: Home) {
  const { rows } = await on.store.scripts(tagId, { limit: 200 })
  return rows.find((script) => script.name === name && script.providerId === 'eventSink')
}

async function makeScript({ teamId, tagId, token }: Required<Demo>, on: FirstRunWorld): Promise<void> {
  const address = await addressOf(on)
  if (!(await findScript(tagId, on))) {
    const secrets = [await sealedAddress(teamId, address, on)]
    await on.client(token, teamId).createScript({ body: { name, providerId: 'eventSink', tagId, secrets } })
  }
  await on.store.write([{ put: 'setting', name: marks.address, value: address }])
}

/** What the first start of this environment made; undefined before that. */
export async function demoOf({ store }: Pick<Home, 'store'>): Promise<Demo | undefined> {
  const done = await store.setting(marks.done)
  return done === undefined ? undefined : (JSON.parse(done) as Demo)
}

/**
 * Makes what is missing of operator, team, tag, token and demo script. Each step looks first, and the mark that all is
 * done comes last, so that a start after a crash goes on where that one stopped.
 */
export async function firstRun(on: FirstRunWorld): Promise<Demo> {
  const demo = await demoOf(on)
  if (demo) {
    await followAddress(demo, on)
    return demo
  }
  await makeOperator(on)
  const teamId = await makeTeam(on)
  const tagId = await makeTag(teamId, on)
  const token = await makeToken(teamId, on)
  await makeScript({ teamId, tagId, token }, on)
  await on.store.write([{ put: 'setting', name: marks.done, value: JSON.stringify({ teamId, tagId }) }])
  return { teamId, tagId, token }
}

/**
 * Where Aglet now listens elsewhere, a demo script that still sends to its own inbox follows. One that was pointed
 * elsewhere, or deleted, is left as it is.
 */
async function followAddress({ teamId, tagId }: Demo, on: FirstRunWorld): Promise<void> {
  const address = await addressOf(on)
  const before = await on.store.setting(marks.address)
  if (before === address) return
  const script = await findScript(tagId, on)
  if (script) {
    const { token, tokenId } = await createToken(on, { teamId, application: name, expiresInMs: 60_000 }, by)
    const api = on.client(token, teamId)
    const { scriptId, ...shown } = await api.readScript({ scriptId: script.scriptId })
    if (shown.secrets?.[variable]?.value === before) {
      const secrets = [await sealedAddress(teamId, address, on)]
      const { createdAt: _, secrets: __, ...settings } = shown
      await api.updateScript({ scriptId, body: { ...settings, tagId, secrets } })
    }
    await revokeToken(on, tokenId, by)
  }
  await on.store.write([{ put: 'setting', name: marks.address, value: address }])
}
