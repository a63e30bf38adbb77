import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type EnvironmentName, environments } from '#contract/me.ts'
import { resolveDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { extractArchive } from './backupArchive.ts'
import { withStagingFolder } from './stagingFolder.ts'

/** Opens the unpacked files, which migrates them. Throws a RootKeyError if AGLET_ROOT_KEY is not their key. */
async function openFiles(environment: EnvironmentName, options: EnvironmentStoreOptions): Promise<void> {
  const { databaseUrl: _, ...settings } = options.settings
  const environmentStore = await openEnvironmentStore(environment, { ...options, settings })
  await environmentStore.store.close()
  const path = options.dir.stream(environment)
  if (existsSync(path)) await (await options.adapters.openStream(path, options.clock)).close()
}

async function moveEnvironment(
  environment: EnvironmentName,
  { dir, settings, adapters, clock }: EnvironmentStoreOptions,
  at: string,
): Promise<Record<string, number>> {
  const { databaseUrl: url, syncStandbys } = settings
  const database = await adapters.openDatabase!({ url: url!, environment, role: 'control', syncStandbys, clock })
  const stream = existsSync(dir.stream(environment)) && { stream: dir.stream(environment) }
  return database.moveFiles({ store: dir.store(environment), ...stream }, at).finally(database.close)
}

/**
 * Moves a backup of files into the empty database of AGLET_DATABASE_URL. An interrupted move continues when it is run
 * again with the same backup. Throws an Error, having changed nothing, if the database is not empty or in use, or if the
 * backup is incomplete or has another root key.
 */
export async function moveBackup(
  options: EnvironmentStoreOptions,
  request: { file: string; force?: boolean },
): Promise<Record<string, unknown>> {
  if (request.force)
    throw new Error('--force only applies to files, but AGLET_DATABASE_URL is set. Restore into an empty database.')
  mkdirSync(options.dir.path, { recursive: true, mode: 0o700 })
  return withStagingFolder(options.dir.path, async (staging) => {
    const { at, version } = await extractArchive(resolve(request.file), staging)
    const unpacked = { ...options, dir: resolveDataDir(staging) }
    const existing = environments.filter((each) => existsSync(unpacked.dir.store(each)))
    for (const environment of existing) await openFiles(environment, unpacked)
    const rows: Record<string, Record<string, number>> = {}
    for (const environment of existing) rows[environment] = await moveEnvironment(environment, unpacked, at)
    return { at, version, rows, rootKey: 'fits' }
  })
}
