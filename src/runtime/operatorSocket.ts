import { chmodSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { OperatorCall, type OperatorOutcome } from '#cli/operatorCall.ts'
import { errorObject, Fault, fault } from '#contract/fault.ts'
import { compileValidator } from '#contract/validator.ts'
import type { Log } from '#kit/log.ts'

type RunCall = (call: OperatorCall) => Promise<Record<string, unknown>>

const checkCall = compileValidator(OperatorCall)

async function runToOutcome(body: unknown, run: RunCall, log: Log): Promise<OperatorOutcome> {
  try {
    if (checkCall(body).length > 0) throw fault('badRequest')
    return { result: await run(body as OperatorCall) }
  } catch (problem) {
    if (problem instanceof Fault) return { refused: errorObject(problem) }
    log({ level: 'error', message: 'an operator command failed', problem })
    return { refused: errorObject(fault('internal')) }
  }
}

/**
 * Serves operator commands while this process holds the data directory: JSON over HTTP on a Unix socket that only the
 * user who started the process can open.
 */
export function listenForOperator(path: string, deps: { run: RunCall; log: Log }): Promise<{ close(): void }> {
  const server = createServer(async (incoming, response) => {
    const outcome = await runToOutcome(await json(incoming).catch(() => undefined), deps.run, deps.log)
    response.setHeader('content-type', 'application/json').end(JSON.stringify(outcome))
  })
  rmSync(path, { force: true }) // a killed process leaves its socket; the lock holder owns the path
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const previousMask = process.umask(0o177) // no other user can open the socket between listen and chmod
    server.listen(path, () => {
      chmodSync(path, 0o600)
      resolve({ close: () => server.close() })
    })
    process.umask(previousMask)
  })
}

const notListeningCodes = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK', 'ENOTDIR'])

/** Calls the process that holds the data directory; undefined if none is listening. */
export function callRunningServer(path: string, call: OperatorCall): Promise<OperatorOutcome | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath: path, method: 'POST', path: '/', timeout: 30_000 }, (response) =>
      json(response).then((outcome) => resolve(outcome as OperatorOutcome), reject),
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error('The running Aglet did not respond within 30 seconds.')))
    outgoing.on('error', (problem: NodeJS.ErrnoException) =>
      notListeningCodes.has(problem.code ?? '') ? resolve(undefined) : reject(problem),
    )
    outgoing.end(JSON.stringify(call))
  })
}
