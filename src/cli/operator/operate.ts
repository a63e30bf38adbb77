import { errorObject, Fault } from '#contract/fault.ts'
import type { Call, Outcome } from '../call.ts'
import { runCommand } from './commands.ts'
import { type DataDir, type Lock, lockDataDir, makeDataDir } from './dataDir.ts'
import { type HomeOptions, openHome } from './home.ts'
import { askSocket } from './socket.ts'

const patienceMs = 15_000

async function runHere(call: Call, options: HomeOptions): Promise<Outcome> {
  const home = await openHome(call.environment, options)
  try {
    return { result: await runCommand(call, home) }
  } catch (problem) {
    if (problem instanceof Fault) return { refused: errorObject(problem) }
    throw problem
  } finally {
    await home.store.close()
  }
}

/** What is there first: the answer of a running Aglet, or the data directory for ourselves. */
async function askOrLock(call: Call, dir: DataDir, { clock }: HomeOptions): Promise<Outcome | Lock> {
  const end = clock.now() + patienceMs
  do {
    const there = (await askSocket(dir.socket, call)) ?? lockDataDir(dir)
    if (there) return there
    await clock.wait(100) // another process has just taken it, and does not listen yet
  } while (clock.now() < end)
  throw new Error(`Another process has the data directory ${dir.path} and does not answer: end it, or wait for it.`)
}

/** Runs an operator's command where the data directory is in use, else on its files. */
export async function operate(call: Call, options: HomeOptions): Promise<Outcome> {
  makeDataDir(options.dir, [call.environment])
  const there = await askOrLock(call, options.dir, options)
  if (!('release' in there)) return there
  try {
    return await runHere(call, options)
  } finally {
    there.release()
  }
}
