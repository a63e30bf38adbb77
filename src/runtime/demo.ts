import { randomBytes } from 'node:crypto'
import type { EnvironmentStore } from './environmentStore.ts'

/** The objects that the first start creates in each environment. `token` is set only by the start that created it. */
export type DemoEnvironment = { teamId: string; tagId: string; token?: string }

/** Keys in the store's settings: the progress of the first start, and the values that it chose. */
export const settingNames = {
  done: 'firstRun.done',
  token: 'firstRun.tokenId',
  inbox: 'demo.inbox',
  address: 'demo.address',
} as const

/** Reads a setting. If it is absent, its value is created and stored. */
async function readOrCreateSetting(key: string, create: () => string, { store }: EnvironmentStore): Promise<string> {
  const stored = await store.setting(key)
  if (stored !== undefined) return stored
  const value = create()
  await store.write([{ put: 'setting', name: key, value }])
  return value
}

/** The name of the environment's demo inbox: 128 random bits, chosen once. */
export const demoInboxName = (deps: EnvironmentStore) =>
  readOrCreateSetting(settingNames.inbox, () => randomBytes(16).toString('hex'), deps)

/** The objects that the first start of this environment created; undefined until it is complete. */
export async function findDemo({ store }: Pick<EnvironmentStore, 'store'>): Promise<DemoEnvironment | undefined> {
  const done = await store.setting(settingNames.done)
  return done === undefined ? undefined : (JSON.parse(done) as DemoEnvironment)
}
