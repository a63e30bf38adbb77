import type { Keyring } from '#account/keyring.ts'
import { loadKeyring } from '#account/loadKeyring.ts'
import { readRootKeys } from '#account/rootKey.ts'
import type { RotatableSealingKeys } from '#account/sealingKeys.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { createSnapshots, type Snapshots } from '#script/snapshot.ts'
import type { QueryLimits } from '#store/journalQueries.ts'
import type { Store } from '#store/store.ts'
import type { Stream } from '#stream/stream.ts'
import { createServedHosts, type ServedHosts } from '#tag/servedHosts.ts'
import type { DataDir } from './dataDir.ts'
import type { Settings } from './settings.ts'

/** Opens the store and the stream of an environment. Only main chooses the implementation. */
export type StorageAdapters = {
  openStore(path: string, queries?: QueryLimits): Promise<Store>
  openStream(path: string, clock: Clock): Promise<Stream>
}

/** The open store of one environment and what is derived from it. */
export type EnvironmentStore = {
  environment: EnvironmentName
  clock: Clock
  store: Store
  keys: Keyring
  /** Set while the server runs; a rotation here takes effect for API callers at once. */
  sealingKeys?: RotatableSealingKeys
  snapshots: Snapshots
  /** The host names of the tags. */
  servedHosts: ServedHosts
  tagUrl(tagId: string): string
  /** The API's base URL, ending with the version segment. */
  baseUrl: string
}

const pathSegment = (environment: EnvironmentName) => (environment === 'sandbox' ? '/sandbox' : '')

/** The path prefix of every tag URL of the environment. */
export const tagPrefix = (environment: EnvironmentName) => `${pathSegment(environment)}/t/`
export const basePath = (environment: EnvironmentName) => `${pathSegment(environment)}/v1`
export const dashboardPath = (environment: EnvironmentName) => `${pathSegment(environment)}/dashboard`

export type EnvironmentStoreOptions = { dir: DataDir; settings: Settings; adapters: StorageAdapters; clock: Clock }

/** Opens the store of an environment. Throws an Error when a file cannot be opened or the root key does not fit. */
export async function openEnvironmentStore(
  environment: EnvironmentName,
  { dir, settings, adapters, clock }: EnvironmentStoreOptions,
): Promise<EnvironmentStore> {
  const rootKeys = await readRootKeys(dir.path, settings.rootKey)
  const store = await adapters.openStore(dir.store(environment), {
    perTeam: settings.queriesPerTeam,
    limitMs: settings.querySeconds * 1_000,
  })
  try {
    const keys = await loadKeyring(store, environment, rootKeys)
    const deployments = await store.deployments()
    const hosts = createServedHosts(await store.hostClaims('all'))
    return {
      environment,
      clock,
      store,
      keys,
      snapshots: createSnapshots(
        deployments.map(({ snapshot }) => snapshot),
        hosts,
      ),
      servedHosts: hosts,
      baseUrl: settings.origin + basePath(environment),
      tagUrl: (tagId) => `${settings.tagOrigin}${tagPrefix(environment)}${tagId}`,
    }
  } catch (problem) {
    await store.close()
    throw problem
  }
}
