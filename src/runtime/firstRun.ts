import type { SealingKeys } from '#account/sealingKeys.ts'
import { createTeam } from '#account/team.ts'
import { createToken, revokeToken } from '#account/token.ts'
import type { Client } from '#contract/client.ts'
import { sealEntry } from '#contract/seal.ts'
import { newId } from '#kit/id.ts'
import { createTag } from '#tag/tag.ts'
import { type DemoEnvironment, demoInboxName, findDemo, settingNames } from './demo.ts'
import type { EnvironmentStore } from './environmentStore.ts'

type FirstRunDeps = EnvironmentStore & {
  sealingKeys: SealingKeys
  /** `http://127.0.0.1:4000` */
  origin: string
  /** Calls the control API of this environment in process, without the network. */
  client(token: string, teamId: string): Client
}

const name = 'demo'
const by = 'operator'
const variable = 'EVENT_SINK_URL'

const inboxAddress = async (deps: FirstRunDeps) => `${deps.origin}/demo/inbox/${await demoInboxName(deps)}`

async function ensureOperator({ store, clock }: EnvironmentStore): Promise<void> {
  if (await store.person('operator')) return
  const createdAt = clock.now()
  const row = { personId: newId('per', createdAt), name: 'Operator', role: 'operator', createdAt } as const
  await store.write([{ add: 'person', row }])
}

async function ensureTeam(deps: EnvironmentStore): Promise<string> {
  const existing = (await deps.store.teams()).find((team) => team.name === name)
  return existing?.teamId ?? (await createTeam(deps, name, by)).teamId
}

async function ensureTag(teamId: string, deps: EnvironmentStore): Promise<string> {
  const { rows } = await deps.store.tags(teamId, { limit: 200 })
  const existing = rows.find((tag) => tag.name === name)
  return existing?.tagId ?? (await createTag(deps, teamId, { by }, { name, domain: 'localhost' })).tagId
}

/** Revokes the token of an interrupted first start, which may never have been shown, and creates a new one. */
async function ensureToken(teamId: string, deps: EnvironmentStore): Promise<string> {
  const previousId = await deps.store.setting(settingNames.token)
  if (previousId) await revokeToken(deps, previousId, by)
  const { token, tokenId } = await createToken(deps, { teamId, application: name }, by)
  await deps.store.write([{ put: 'setting', name: settingNames.token, value: tokenId }])
  return token
}

const sealAddress = (teamId: string, plaintext: string, deps: FirstRunDeps) =>
  sealEntry({
    environment: deps.environment,
    teamId,
    providerId: 'eventSink',
    variable,
    type: 'TEXT',
    plaintext,
    key: deps.sealingKeys.active(),
  })

async function findDemoScript(tagId: string, deps: EnvironmentStore) {
  const { rows } = await deps.store.scripts(tagId, { limit: 200 })
  return rows.find((script) => script.name === name && script.providerId === 'eventSink')
}

async function ensureScript({ teamId, tagId, token }: Required<DemoEnvironment>, deps: FirstRunDeps): Promise<void> {
  const address = await inboxAddress(deps)
  if (!(await findDemoScript(tagId, deps))) {
    const secrets = [await sealAddress(teamId, address, deps)]
    await deps.client(token, teamId).createScript({ body: { name, providerId: 'eventSink', tagId, secrets } })
  }
  await deps.store.write([{ put: 'setting', name: settingNames.address, value: address }])
}

/**
 * Creates whatever is missing of operator, team, tag, token and demo script. Each step is idempotent and the `done`
 * setting is written last, so that a start after a crash continues where the previous one stopped.
 */
export async function runFirstStart(deps: FirstRunDeps): Promise<DemoEnvironment> {
  const demo = await findDemo(deps)
  if (demo) {
    await updateDemoAddress(demo, deps)
    return demo
  }
  await ensureOperator(deps)
  const teamId = await ensureTeam(deps)
  const tagId = await ensureTag(teamId, deps)
  const token = await ensureToken(teamId, deps)
  await ensureScript({ teamId, tagId, token }, deps)
  await deps.store.write([{ put: 'setting', name: settingNames.done, value: JSON.stringify({ teamId, tagId }) }])
  return { teamId, tagId, token }
}

/**
 * Updates the demo script that sends to the demo inbox if Aglet now listens on another address. A script that was deleted
 * or sends elsewhere is left unchanged.
 */
async function updateDemoAddress({ teamId, tagId }: DemoEnvironment, deps: FirstRunDeps): Promise<void> {
  const address = await inboxAddress(deps)
  const previousAddress = await deps.store.setting(settingNames.address)
  if (previousAddress === address) return
  const script = await findDemoScript(tagId, deps)
  if (script) {
    const { token, tokenId } = await createToken(deps, { teamId, application: name, expiresInMs: 60_000 }, by)
    const api = deps.client(token, teamId)
    const { scriptId } = script
    const { secrets: current } = await api.readScript({ scriptId })
    if (current?.[variable]?.value === previousAddress)
      await api.patchScript({ scriptId, body: { secrets: [await sealAddress(teamId, address, deps)] } })
    await revokeToken(deps, tokenId, by)
  }
  await deps.store.write([{ put: 'setting', name: settingNames.address, value: address }])
}
