import { errorObject, Fault } from '#contract/fault.ts'
import { environments } from '#contract/me.ts'
import type { Call, Outcome } from '../call.ts'
import { runCommand } from './commands.ts'
import { type DataDir, type Lock, lockDataDir, makeDataDir } from './dataDir.ts'
import { type Home, type HomeOptions, openHome } from './home.ts'
import { asksForRoot, rotateRoot } from './rotation.ts'
import { askSocket } from './socket.ts'

const patienceMs = 15_000

/** One environment, or both where the command is about the whole data directory. */
async function openHomes(call: Call, options: HomeOptions): Promise<Home[]> {
  const names = asksForRoot(call) ? environments : [call.environment]
  makeDataDir(options.dir, names)
  const homes: Home[] = []
  for (const name of names) homes.push(await openHome(name, options))
  return homes
}

async function runHere(call: Call, options: HomeOptions): Promise<Outcome> {
  const homes = await openHomes(call, options)
  try {
    return { result: await (asksForRoot(call) ? rotateRoot(homes, options) : runCommand(call, homes[0]!)) }
  } catch (problem) {
    if (problem instanceof Fault) return { refused: errorObject(problem) }
    throw problem
  } finally {
    for (const { store } of homes) await store.close()
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
