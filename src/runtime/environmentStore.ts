import type { Keyring } from '#account/keyring.ts'
import { loadKeyring } from '#account/loadKeyring.ts'
import { type RootKeys, readRootKeys } from '#account/rootKey.ts'
import type { RotatableSealingKeys } from '#account/sealingKeys.ts'
import type { Cluster } from '#cluster/cluster.ts'
import type { EnvironmentName } from '#contract/me.ts'
import type { Clock } from '#kit/clock.ts'
import { createSnapshots, type Snapshots } from '#script/snapshot.ts'
import type { Store } from '#store/store.ts'
import { createServedHosts, type ServedHosts } from '#tag/servedHosts.ts'
import { type EdgeFile, readEdgeFile, storeWithEdgeFile } from './edgeFile.ts'
import { loadVendorList } from './givenVendorList.ts'
import { type EnvironmentDatabase, type EnvironmentStorage, openStorage, type StorageOptions } from './storage.ts'

/** The open store of one environment, and objects derived from it. */
export type EnvironmentStore = {
  environment: EnvironmentName
  /** The clock of the shared database, else of this machine. */
  clock: Clock
  store: Store
  /** The processes that work on the same data. */
  cluster: Cluster
  /** The shared database; absent if the data are files of this process. */
  database?: EnvironmentDatabase
  keys: Keyring
  rootKeys: RootKeys
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

export type EnvironmentStoreOptions = StorageOptions

const isKept = ({ settings, member }: StorageOptions) => keepsEdgeFile(settings) && member !== undefined

/** Only a pure edge has an edge file; not while the root key changes, nor with event shards, for which it waits. */
export const keepsEdgeFile = ({ role, databaseUrl, streamUrl, rootKeyBefore }: StorageOptions['settings']): boolean =>
  role === 'edge' && databaseUrl !== undefined && streamUrl === undefined && rootKeyBefore === undefined

/** Opens the storage. While the database is unreachable, an edge reads its file instead. */
async function openStorageOrEdgeFile(
  environment: EnvironmentName,
  options: StorageOptions,
  rootKeys: RootKeys,
): Promise<EnvironmentStorage> {
  if (!isKept(options)) return openStorage(environment, options)
  const { log } = options.member!
  const place = { path: options.dir.edgeFile(environment), environment, rootKeys }
  let file: EdgeFile | undefined
  async function startsWithout(): Promise<boolean> {
    file = await readEdgeFile(place, options.clock.now()).catch((error) => {
      log({
        level: 'warn',
        message: 'the file of this edge cannot be used; the start waits for the database',
        environment,
        error,
      })
      return undefined
    })
    return file !== undefined
  }
  const storage = await openStorage(environment, { ...options, startsWithout })
  if (!file || !storage.database!.isAway()) return storage
  const { writtenAt, snapshots } = file
  const message =
    'the database does not respond: this edge starts from its file, and events get 503 until the database responds'
  log({ level: 'warn', message, environment, writtenAt: new Date(writtenAt).toISOString(), tags: snapshots.length })
  return {
    ...storage,
    store: storeWithEdgeFile(storage.store, file, storage.database!.isAway),
    // The process that wrote the file had already done all one-time work.
    cluster: { ...storage.cluster, leases: { ...storage.cluster.leases, exclusive: (_, work) => work() } },
  }
}

/** Opens the store of an environment. Throws an Error if a file cannot be opened or the root key does not fit. */
export async function openEnvironmentStore(
  environment: EnvironmentName,
  options: EnvironmentStoreOptions,
): Promise<EnvironmentStore> {
  const { dir, settings } = options
  const rootKeys = await readRootKeys(dir.path, settings.rootKey, settings.rootKeyBefore)
  const storage = await openStorageOrEdgeFile(environment, options, rootKeys)
  const { store, cluster } = storage
  try {
    // Only one process creates the environment key.
    const keys = await cluster.leases.exclusive('start', () => loadKeyring(store, environment, rootKeys))
    await loadVendorList({ environment, store })
    const deployments = await store.deployments()
    const hosts = createServedHosts(await store.hostClaims('all'))
    return {
      environment,
      ...storage,
      keys,
      rootKeys,
      snapshots: createSnapshots(
        deployments.map(({ snapshot }) => snapshot),
        hosts,
        await store.pausedScripts(),
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
