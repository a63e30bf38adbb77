import type { OperatorCall, OperatorOutcome } from '#cli/operatorCall.ts'
import { errorObject, Fault } from '#contract/fault.ts'
import { environments } from '#contract/me.ts'
import { createDataDir, type DataDir, type DataDirLock, lockDataDir } from '#runtime/dataDir.ts'
import { type EnvironmentStore, type EnvironmentStoreOptions, openEnvironmentStore } from '#runtime/environmentStore.ts'
import { isRootKeyRotation, rotateRootKeyEverywhere } from '#runtime/keyRotation.ts'
import { runOperatorCommand } from '#runtime/operatorCommands.ts'
import { callRunningServer } from '#runtime/operatorSocket.ts'

const lockTimeoutMs = 15_000

/** Opens the environment of the command, or both for a command on the whole data directory. */
async function openEnvironmentStores(
  call: OperatorCall,
  options: EnvironmentStoreOptions,
): Promise<EnvironmentStore[]> {
  const names = isRootKeyRotation(call) ? environments : [call.environment]
  createDataDir(options.dir, names)
  const stores: EnvironmentStore[] = []
  for (const name of names) stores.push(await openEnvironmentStore(name, options))
  return stores
}

async function runOnDataDir(call: OperatorCall, options: EnvironmentStoreOptions): Promise<OperatorOutcome> {
  const stores = await openEnvironmentStores(call, options)
  try {
    return {
      result: await (isRootKeyRotation(call)
        ? rotateRootKeyEverywhere(stores, options)
        : runOperatorCommand(call, stores[0]!)),
    }
  } catch (problem) {
    if (problem instanceof Fault) return { refused: errorObject(problem) }
    throw problem
  } finally {
    for (const { store } of stores) await store.close()
  }
}

/** Calls a running Aglet or takes the lock, whichever is possible first. */
async function callOrLock(
  call: OperatorCall,
  dir: DataDir,
  { clock }: EnvironmentStoreOptions,
): Promise<OperatorOutcome | DataDirLock> {
  const end = clock.now() + lockTimeoutMs
  do {
    const outcomeOrLock = (await callRunningServer(dir.socket, call)) ?? lockDataDir(dir)
    if (outcomeOrLock) return outcomeOrLock
    await clock.wait(100) // another process has just taken the lock and is not listening yet
  } while (clock.now() < end)
  throw new Error(`Another process uses the data directory ${dir.path} and does not respond. Stop it, or wait for it.`)
}

/** Runs an operator's command in the server that holds the data directory, else on its files. */
export async function runOperatorCall(call: OperatorCall, options: EnvironmentStoreOptions): Promise<OperatorOutcome> {
  createDataDir(options.dir, [call.environment])
  const outcomeOrLock = await callOrLock(call, options.dir, options)
  if (!('release' in outcomeOrLock)) return outcomeOrLock
  try {
    return await runOnDataDir(call, options)
  } finally {
    outcomeOrLock.release()
  }
}
