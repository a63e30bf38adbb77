import { chmodSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { errorObject, Fault, fault } from '#contract/fault.ts'
import { check } from '#contract/schema.ts'
import type { Log } from '#kit/log.ts'
import { Call, type Outcome } from '../call.ts'

type Run = (call: Call) => Promise<Record<string, unknown>>

const checkCall = check(Call)

async function outcomeOf(body: unknown, run: Run, log: Log): Promise<Outcome> {
  try {
    if (checkCall(body).length > 0) throw fault('badRequest')
    return { result: await run(body as Call) }
  } catch (problem) {
    if (problem instanceof Fault) return { refused: errorObject(problem) }
    log({ level: 'error', message: 'a command failed', problem })
    return { refused: errorObject(fault('internal')) }
  }
}

/**
 * The door for the operator's commands while this process has the data directory: JSON over HTTP on a socket that only
 * the user who started it may open.
 */
export function listenOnSocket(path: string, on: { run: Run; log: Log }): Promise<{ close(): void }> {
  const server = createServer(async (incoming, response) => {
    const outcome = await outcomeOf(await json(incoming).catch(() => undefined), on.run, on.log)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(outcome))
  })
  rmSync(path, { force: true }) // left by a process that was killed: who holds the lock owns the path
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const before = process.umask(0o177) // the socket is never open to others, not between listen and chmod either
    server.listen(path, () => {
      chmodSync(path, 0o600)
      resolve({ close: () => server.close() })
    })
    process.umask(before)
  })
}

const nobodyListens = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'])

/** Asks the process that has the data directory; undefined when there is none. */
export function askSocket(path: string, call: Call): Promise<Outcome | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath: path, method: 'POST', path: '/', timeout: 30_000 }, (answer) =>
      json(answer).then((outcome) => resolve(outcome as Outcome), reject),
    )
    asked.on('timeout', () => asked.destroy(new Error('The running Aglet did not answer within 30 seconds.')))
    asked.on('error', (problem: NodeJS.ErrnoException) =>
      nobodyListens.has(problem.code ?? '') ? resolve(undefined) : reject(problem),
    )
    asked.end(JSON.stringify(call))
  })
}
