import { environments } from '#contract/me.ts'
import { createDataDir, lockDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'

/** Creates a data directory with its root key and empty databases. An existing one is left unchanged. */
export async function initData(options: EnvironmentStoreOptions): Promise<{ data: string }> {
  const { dir } = options
  createDataDir(dir, environments)
  const lock = lockDataDir(dir)
  if (!lock) throw new Error(`A server is running on ${dir.path}, so it is already initialized.`)
  try {
    for (const environment of environments) await (await openEnvironmentStore(environment, options)).store.close()
  } finally {
    lock.release()
  }
  return { data: dir.path }
}
